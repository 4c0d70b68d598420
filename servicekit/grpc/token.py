"""The token of the deployment in the metadata of calls between services.

A caller sends it with each call, and a server refuses calls without it before it reads their messages.
gRPC's health check alone needs none, as probes have no secrets, but then only few of its calls are open at
once (`servicekit.grpc.health_limits`). A stream is checked when it begins.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import grpc
import grpc.aio
from prometheus_client import Counter

from servicekit.errors import Unauthenticated
from servicekit.grpc.delegating_channel import DelegatingChannel
from servicekit.grpc.errors import CALLER_UNKNOWN, to_aio_status
from servicekit.grpc.health_limits import HEALTH, HealthCallLimit
from servicekit.observability import logs

METADATA: Final = "authorization"
_SCHEME: Final = "Bearer "
_LOG_SECONDS: Final = 60.0

CALLS_REFUSED: Final = Counter(
    "sponsorgraph_rpc_calls_without_token",
    "Calls that were refused because they did not bring a token of the deployment.",
)

log = logs.get(__name__)


class TokenCheck(grpc.aio.ServerInterceptor):
    """Refuses calls that bring none of `tokens`, in a time that says nothing of them.

    Args:
        tokens: Any of them will do.
        health_calls: Those of the health check without one.
    """

    def __init__(self, tokens: Sequence[str], health_calls: HealthCallLimit) -> None:
        self._health_calls = health_calls
        self._accepted = [f"{_SCHEME}{token}".encode() for token in tokens]
        self._refusal = _refusal()

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        if self._is_accepted(handler_call_details):
            return await continuation(handler_call_details)
        if handler_call_details.method.startswith(HEALTH):
            return self._health_calls.bounded(await continuation(handler_call_details))
        return self._refusal

    def _is_accepted(self, details: grpc.HandlerCallDetails) -> bool:
        presented = b""
        for name, value in details.invocation_metadata or ():
            if name == METADATA:
                presented = value.encode() if isinstance(value, str) else value
        accepted = False
        for token in self._accepted:
            accepted |= hmac.compare_digest(presented, token)
        return accepted


def _refusal() -> grpc.RpcMethodHandler[Any, Any]:
    """Answers a call of any kind: what it sends is not read."""
    error = Unauthenticated("This call brings no token of this deployment.", CALLER_UNKNOWN)
    status: Any = to_aio_status(error)
    logged = float("-inf")

    async def refuse(_requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        nonlocal logged
        CALLS_REFUSED.inc()
        now = time.monotonic()
        if now - logged >= _LOG_SECONDS:  # callers could fill the log otherwise
            logged = now
            log.warning("caller_without_token", peer=context.peer())
        await context.abort_with_status(status)

    make: Any = grpc.stream_stream_rpc_method_handler
    return make(refuse)


class TokenChannel(DelegatingChannel):
    """Passes calls on with the token."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._channel = channel
        self._metadata = (METADATA, f"{_SCHEME}{token}")

    def _method(self, kind: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        own = self._metadata
        method = getattr(self._channel, kind)(*arguments, **options)

        def call(*presented: Any, metadata: Any = None, **named: Any) -> Any:
            whole = (own,) if metadata is None else (own, *metadata)
            return method(*presented, metadata=whole, **named)

        return call
