"""Graceful shutdown: a process still responds for a moment, and sends its callers elsewhere.

A process that stops at once refuses requests that are on their way. So at SIGTERM each server first notifies
its callers by its own protocol (gRPC by its health, HTTP by `Connection: close`), goes on responding for a
moment, and only then closes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Callback = Callable[[], Awaitable[None]]


class GracefulShutdown:
    """The state of this process's shutdown, and the servers that take part in it."""

    def __init__(self) -> None:
        self.begun = False
        self._callbacks: list[Callback | None] = []

    def on_begin(self, callback: Callback | None = None) -> None:
        """Register a server that has callers; `callback`, if any, is awaited when shutdown begins."""
        self._callbacks.append(callback)

    async def begin(self) -> None:
        """Begin the shutdown and await the callbacks, once."""
        if self.begun:
            return
        self.begun = True
        for callback in self._callbacks:
            if callback is not None:
                await callback()

    async def drain(self, seconds: float) -> None:
        """Begin, and return after `seconds`; at once if no server has callers."""
        await self.begin()
        if self._callbacks:
            await asyncio.sleep(seconds)


_process: ContextVar[GracefulShutdown | None] = ContextVar("graceful_shutdown", default=None)


def current() -> GracefulShutdown:
    """Return that of the process, or one that never begins if nothing handles signals."""
    return _process.get() or GracefulShutdown()


@contextmanager
def shared() -> Generator[GracefulShutdown]:
    """Yield the shutdown that is `current` for everything opened inside the block."""
    shutdown = current()
    token = _process.set(shutdown)
    try:
        yield shutdown
    finally:
        _process.reset(token)


@contextmanager
def of_this_process() -> Generator[GracefulShutdown]:
    """Yield a new shutdown that is `current` inside the block."""
    token = _process.set(GracefulShutdown())
    try:
        with shared() as shutdown:
            yield shutdown
    finally:
        _process.reset(token)
