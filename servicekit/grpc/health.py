"""gRPC's health check. That of grpcio-health-checking writes while it holds the lock of all watches.

There a watcher that reads nothing delays the others, and the end of the process too.
"""

import asyncio
from typing import Any, Final

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

Status = health_pb2.HealthCheckResponse
_NOT_SERVING: Final = Status.NOT_SERVING


class Health(health_pb2_grpc.HealthServicer):
    """The status of each service, whose changes are written to watchers; nobody waits for a watcher."""

    def __init__(self) -> None:
        self._statuses: dict[str, Any] = {"": Status.SERVING}
        self._changed = asyncio.Event()
        self._is_stopped = False

    def set(self, service: str, status: Any) -> None:
        """Set the status of a service, unless the process stops: nothing serves again then."""
        if not self._is_stopped:
            self._statuses[service] = status
            self._notify()

    async def stop(self) -> None:
        """Set every service to not serving, for good."""
        self._is_stopped = True
        self._statuses = dict.fromkeys(self._statuses, _NOT_SERVING)
        self._notify()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def Check(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:  # noqa: N802 # pyright: ignore[reportIncompatibleMethodOverride]
        status = self._statuses.get(request.service)
        if status is None:
            await context.abort(grpc.StatusCode.NOT_FOUND)
        return Status(status=status)

    async def Watch(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:  # noqa: N802 # pyright: ignore[reportIncompatibleMethodOverride]
        last: Any = None
        while True:
            changed = self._changed
            status = self._statuses.get(request.service, Status.SERVICE_UNKNOWN)
            if status != last:
                await context.write(Status(status=status))
                last = status
            await changed.wait()
