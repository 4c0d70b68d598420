"""The server side of persistent streams (`servicekit.grpc.stream_client`)."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

import grpc.aio

from servicekit.grpc.interceptors import RPC_SECONDS, as_service_error
from servicekit.grpc.stream_client import Traced
from servicekit.observability import telemetry
from servicekit.process import shutdown

Req = TypeVar("Req", bound=Traced)
Res = TypeVar("Res")


class StreamServer(Generic[Req, Res]):
    """Responds to one request after the other, and ends streams when the process shuts down.

    Args:
        method: Full name of the method, as metrics and traces name it.
        response: Returns the response to a request; an exception ends the stream.
    """

    def __init__(self, method: str, response: Callable[[Req], Awaitable[Res]]) -> None:
        self._method = method
        self._respond = response
        self._shutdown = shutdown.current()
        self._shutdown.on_begin(self._end_waiting)
        self._waiting: set[asyncio.Task[Any]] = set()

    async def serve(self, context: grpc.aio.ServicerContext[Req, Res]) -> None:
        """Serve one stream until its caller ends it or this process shuts down."""
        while True:
            request: Any = await self._next(context)
            if request is grpc.aio.EOF:
                return
            await context.write(await self._measured(request))
            if self._shutdown.begun:
                return

    async def _next(self, context: grpc.aio.ServicerContext[Req, Res]) -> Any:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - gRPC runs each call in one
        self._waiting.add(task)
        try:
            return await context.read()
        except asyncio.CancelledError:
            if self._shutdown.begun:
                return grpc.aio.EOF
            raise
        finally:
            self._waiting.discard(task)

    async def _measured(self, request: Req) -> Res:
        started = time.perf_counter()
        reason = "OK"
        with telemetry.request(self._method, request.traceparent):
            try:
                return await self._respond(request)
            except Exception as error:
                service_error = as_service_error(error, self._method)
                reason = service_error.reason
                telemetry.failed(reason)
                raise service_error from error
            finally:
                RPC_SECONDS.labels(self._method, reason).observe(time.perf_counter() - started)

    async def _end_waiting(self) -> None:
        for task in tuple(self._waiting):
            task.cancel()
