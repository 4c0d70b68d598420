"""Calls of the health check that bring no token: few at once, and none of them among the service's own.

Probes have no token, and neither has the watch of health that a channel of grpc-core keeps on each
connection. Strangers may do the same, so only so many are open at once, and a further one ends the
oldest. That one's status says that nobody watches health here: a channel goes on to send its calls
(https://github.com/grpc/grpc/blob/master/doc/health-checking.md). The calls of a connection on which
the token was brought are no longer counted.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc
import grpc.aio
from prometheus_client import Counter

HEALTH: Final = "/grpc.health.v1.Health/"
MOST_OPEN: Final = 32

CALLS_ENDED: Final = Counter(
    "sponsorgraph_rpc_health_calls_ended",
    "Calls of the health check without a token that were ended, as too many were open.",
)


class HealthCallLimit:
    """Open calls of the health check on connections that have not brought a token."""

    def __init__(self, most_open: int = MOST_OPEN) -> None:
        self._most_open = most_open
        self._open: OrderedDict[asyncio.Timeout, str] = OrderedDict()
        self._of_peer: dict[str, list[asyncio.Timeout]] = {}

    def brought_token(self, peer: str) -> None:
        """Counts the calls of this connection no longer."""
        for call in self._of_peer.pop(peer, ()):
            del self._open[call]

    def bounded(
        self, handler: grpc.RpcMethodHandler[Any, Any] | None
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """`handler`, which is one of the health check, for callers without a token."""
        if handler is None:
            return None
        method: Any = handler.unary_stream or handler.unary_unary
        answers_itself = handler.unary_stream is not None

        # Reads the request itself: gRPC would wait for one that never comes before it calls this.
        async def call(_requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
            try:
                async with self._counted(context.peer()):
                    request: Any = await context.read()
                    if request is not grpc.aio.EOF:
                        response = await method(request, context)
                        if not answers_itself:
                            await context.write(response)
            except TimeoutError:
                CALLS_ENDED.inc()
                await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Too many watch health here.")

        make: Any = grpc.stream_stream_rpc_method_handler
        return make(call, handler.request_deserializer, handler.response_serializer)

    @asynccontextmanager
    async def _counted(self, peer: str) -> AsyncGenerator[None]:
        """Raises `TimeoutError` in the block when the call has become the oldest of too many."""
        async with asyncio.timeout(None) as call:
            if len(self._open) >= self._most_open:
                oldest = next(iter(self._open))
                self._forget(oldest)
                oldest.reschedule(0)
            self._open[call] = peer
            self._of_peer.setdefault(peer, []).append(call)
            try:
                yield
            finally:
                self._forget(call)

    def _forget(self, call: asyncio.Timeout) -> None:
        peer = self._open.pop(call, None)
        if peer is None:
            return
        calls = self._of_peer[peer]
        calls.remove(call)
        if not calls:
            del self._of_peer[peer]
