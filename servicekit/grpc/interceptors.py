"""Surround each call of a server: check its token and limits, measure it, and turn errors into statuses.

A caller sends the token of the deployment with each call, and a server refuses calls without it before it
reads their messages. gRPC's health check alone needs none, as probes have no secrets, but then only few of
its calls are open at once (`servicekit.grpc.health_limits`). A stream is checked when it begins.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

import grpc
import grpc.aio
from google.protobuf import descriptor_pool
from prometheus_client import Counter, Histogram

from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.errors import Internal, ServiceError, Unauthenticated, Unavailable
from servicekit.grpc.errors import CALLER_UNKNOWN, to_aio_status
from servicekit.grpc.health_limits import HEALTH, HealthCallLimit
from servicekit.grpc.tls import admit
from servicekit.observability import logs, telemetry
from servicekit.peer_credentials import AUTHORIZATION, bearer

_LOG_SECONDS: Final = 60.0

CALLS_REFUSED: Final = Counter(
    "sponsorgraph_rpc_calls_without_token",
    "Calls that were refused because they did not bring a token of the deployment.",
)

RPC_SECONDS: Final = Histogram(
    "sponsorgraph_rpc_seconds", "Time to answer an RPC, in seconds.", ["method", "code"]
)

log = logs.get(__name__)


def begin_series(service: str) -> None:
    """Begin the series of a service's methods at 0, before their first call and their first failure."""
    try:
        descriptor: Any = descriptor_pool.Default().FindServiceByName(service)  # pyright: ignore[reportUnknownMemberType]
    except KeyError:  # registered by hand, without a file of protos
        return
    for method in descriptor.methods:
        for code in ("OK", Unavailable.default_reason):
            RPC_SECONDS.labels(f"/{service}/{method.name}", code)


class TokenCheck(grpc.aio.ServerInterceptor):
    """Refuses calls that bring none of `tokens`, in a time that says nothing of them.

    Args:
        tokens: Any of them will do.
        health_calls: Those of the health check without one.
    """

    def __init__(self, tokens: Sequence[str], health_calls: HealthCallLimit) -> None:
        self._health_calls = health_calls
        self._accepted = [bearer(token).encode() for token in tokens]
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
            if name == AUTHORIZATION:
                presented = value.encode() if isinstance(value, str) else value
        accepted = False
        for token in self._accepted:
            accepted |= hmac.compare_digest(presented, token)
        return accepted


def _refusal() -> grpc.RpcMethodHandler[Any, Any]:
    """Answer a call of any kind: what it sends is not read."""
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


class CallInterceptor(grpc.aio.ServerInterceptor):
    """Admits callers, limits the calls under way, binds request ids, and makes a status of what a method raises.

    Args:
        allowed: Names of callers, by their certificates; everyone if there are none.
        slots: For the calls under way.
        health_calls: They learn which connections have brought a token.
    """

    def __init__(
        self, allowed: frozenset[str], slots: Bulkhead, health_calls: HealthCallLimit
    ) -> None:
        self._allowed = allowed
        self._slots = slots
        self._health_calls = health_calls

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or method.startswith("/grpc."):
            return handler
        metadata = dict(handler_call_details.invocation_metadata or ())
        traceparent = cast("str | None", metadata.get("traceparent"))
        guard = _Guard(method, traceparent, self._allowed, self._slots, self._health_calls)
        if handler.request_streaming and handler.response_streaming:
            return _guarded_persistent(handler, guard)
        return (_guarded_stream if handler.response_streaming else _guarded_unary)(handler, guard)


def _guarded_unary(
    handler: grpc.RpcMethodHandler[Any, Any], guard: _Guard
) -> grpc.RpcMethodHandler[Any, Any]:
    inner = cast("Any", handler.stream_unary if handler.request_streaming else handler.unary_unary)

    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        async with guard.around(context):
            return await inner(request, context)

    make: Any = (
        grpc.stream_unary_rpc_method_handler
        if handler.request_streaming
        else grpc.unary_unary_rpc_method_handler
    )
    return make(call, handler.request_deserializer, handler.response_serializer)


def _guarded_stream(
    handler: grpc.RpcMethodHandler[Any, Any], guard: _Guard
) -> grpc.RpcMethodHandler[Any, Any]:
    inner = cast("Any", handler.unary_stream)

    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        async with guard.around(context):
            async for response in inner(request, context):
                yield response

    make: Any = grpc.unary_stream_rpc_method_handler
    return make(call, handler.request_deserializer, handler.response_serializer)


def _guarded_persistent(
    handler: grpc.RpcMethodHandler[Any, Any], guard: _Guard
) -> grpc.RpcMethodHandler[Any, Any]:
    """A call that stays open (`servicekit.grpc.stream_server`): its messages are measured, not the call."""
    inner = cast("Any", handler.stream_stream)

    async def call(requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        async with guard.admitted(context):
            await inner(requests, context)

    make: Any = grpc.stream_stream_rpc_method_handler
    return make(call, handler.request_deserializer, handler.response_serializer)


@dataclass(frozen=True, slots=True)
class _Guard:
    """The checks, ids and measurement around one call."""

    method: str
    traceparent: str | None
    allowed: frozenset[str]
    slots: Bulkhead
    health_calls: HealthCallLimit

    @asynccontextmanager
    async def around(self, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncGenerator[None]:
        await self._refuse_if_full(context)
        started = time.perf_counter()
        reason = "OK"
        with telemetry.bound(telemetry.new_context(self.traceparent)):
            try:
                with self.slots:
                    self._admit(context)
                    yield
            except grpc.aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001 - the edge of the process
                failure = as_service_error(error, self.method)
                reason = failure.reason
                telemetry.failed(reason)
                await _abort(context, failure)
            finally:
                RPC_SECONDS.labels(self.method, reason).observe(time.perf_counter() - started)

    @asynccontextmanager
    async def admitted(self, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncGenerator[None]:
        """The same without ids and measurement."""
        await self._refuse_if_full(context)
        try:
            with self.slots:
                self._admit(context)
                yield
        except grpc.aio.AbortError:
            raise
        except Exception as error:  # noqa: BLE001 - the edge of the process
            await _abort(context, as_service_error(error, self.method))

    async def _refuse_if_full(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """End the call as gRPC's own limit would.

        UNAVAILABLE would be sent again by the client itself, and with details the gateway would tell its
        caller of a limit that is not theirs.
        """
        try:
            self.slots.check()
        except Unavailable as full:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, full.public_message)

    def _admit(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        if self.allowed:
            admit(context, self.allowed)
        peer = context.peer()
        if peer in self.health_calls.peers:
            self.health_calls.brought_token(peer)


async def _abort(context: grpc.aio.ServicerContext[Any, Any], failure: ServiceError) -> None:
    await context.abort_with_status(to_aio_status(failure))


def as_service_error(error: Exception, method: str) -> ServiceError:
    """Return an error that ended a method as callers get it; log an unexpected one under its id."""
    if isinstance(error, ServiceError):
        return error
    error_id = secrets.token_hex(6)
    log.error("rpc_failed", method=method, error_id=error_id, exc_info=error)
    return Internal(f"Something went wrong on our side (error {error_id}).")
