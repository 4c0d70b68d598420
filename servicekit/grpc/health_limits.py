"""Limits on calls of the health check that bring no token: few at once, none of them large.

Probes have no token, and neither has the watch of health that a channel of grpc-core opens on each
connection. Strangers may do the same, so only so many are open at once, and a further one ends the
oldest. That one's status says that nobody watches health here: a channel goes on to send its calls
(https://github.com/grpc/grpc/blob/master/doc/health-checking.md). The calls of a connection on which
the token was brought are no longer counted.

A message may be as large as the server's largest, and only who has read it knows. So fewer still are
read at once, and of one that is no name of a service nothing stays in memory.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from prometheus_client import Counter

HEALTH: Final = "/grpc.health.v1.Health/"
MAX_OPEN: Final = 32
MAX_READING: Final = 4
MAX_REQUEST_BYTES: Final = 256
"""The name of a service, and no longer one than any of ours."""

CALLS_ENDED: Final = Counter(
    "sponsorgraph_rpc_health_calls_ended",
    "Calls of the health check without a token that were ended, as too many were open.",
)

Calls = OrderedDict[asyncio.Timeout, str]
"""Connections by call, the oldest call first."""


class HealthCallLimit:
    """Open calls of the health check on connections that have not brought a token.

    Args:
        max_open: Calls open at once.
        max_reading: Calls whose request is being read at once. The request of a probe comes with its
            headers, so that the oldest of these is another's.
    """

    def __init__(self, max_open: int = MAX_OPEN, max_reading: int = MAX_READING) -> None:
        self._max_open = max_open
        self._max_reading = max_reading
        self._open: Calls = OrderedDict()
        self._reading: Calls = OrderedDict()
        self.peers: dict[str, list[asyncio.Timeout]] = {}
        """The open calls by connection."""

    def brought_token(self, peer: str) -> None:
        """Count the calls of this connection no longer."""
        for call in self.peers.pop(peer, ()):
            del self._open[call]

    def bounded(
        self, handler: grpc.RpcMethodHandler[Any, Any] | None
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """`handler`, which is one of the health check, for callers without a token."""
        if handler is None:
            return None
        method: Any = handler.unary_stream or handler.unary_unary
        writes_itself = handler.unary_stream is not None
        decode: Any = handler.request_deserializer

        # Reads the request itself: gRPC would wait for one that never comes before it calls this.
        async def respond(_requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
            try:
                async with self._call_slot(context.peer()) as call:
                    request = await self._read(call, context, decode)
                    if request is not grpc.aio.EOF:
                        response = await method(request, context)
                        if not writes_itself:
                            await context.write(response)
            except TimeoutError:
                CALLS_ENDED.inc()
                await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Too many watch health here.")

        make: Any = grpc.stream_stream_rpc_method_handler
        return make(respond, None, handler.response_serializer)

    @asynccontextmanager
    async def _call_slot(self, peer: str) -> AsyncGenerator[asyncio.Timeout]:
        """Raise `TimeoutError` in the block when the call has become the oldest of too many."""
        async with asyncio.timeout(None) as call:
            self._make_room(self._open, self._max_open)
            self._open[call] = peer
            self.peers.setdefault(peer, []).append(call)
            try:
                yield call
            finally:
                self._forget(call)

    async def _read(
        self,
        call: asyncio.Timeout,
        context: grpc.aio.ServicerContext[Any, Any],
        decode: Callable[[bytes], Any],
    ) -> Any:
        """Return the request, or EOF if there is none; the message is not referred to afterwards."""
        self._make_room(self._reading, self._max_reading)
        self._reading[call] = context.peer()
        try:
            message: Any = await context.read()
        finally:
            self._reading.pop(call, None)
        if message is grpc.aio.EOF:
            return message
        if len(message) <= MAX_REQUEST_BYTES:
            try:
                return decode(message)
            except DecodeError:
                pass
        del message  # The traceback of what is raised next refers to this frame.
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "This names no service.")
        raise AssertionError

    def _make_room(self, calls: Calls, limit: int) -> None:
        if len(calls) >= limit:
            oldest = next(iter(calls))
            self._forget(oldest)
            oldest.reschedule(0)

    def _forget(self, call: asyncio.Timeout) -> None:
        self._reading.pop(call, None)
        peer = self._open.pop(call, None)
        if peer is None:
            return
        calls = self.peers[peer]
        calls.remove(call)
        if not calls:
            del self.peers[peer]


class HealthCallsLimited(grpc.aio.ServerInterceptor):
    """Limits the calls of a server that has the health check alone, to which nobody brings a token."""

    def __init__(self) -> None:
        self._limit = HealthCallLimit()

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        return self._limit.bounded(await continuation(handler_call_details))
