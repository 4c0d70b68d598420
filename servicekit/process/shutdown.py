"""The last seconds of a process: it still answers, and sends its callers elsewhere.

A process that stops at once refuses who is just on the way to it. So at SIGTERM each face first tells its
callers by its own protocol that it leaves (gRPC by its health, HTTP by `Connection: close`), goes on
answering for a moment, and only then closes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Telling = Callable[[], Awaitable[None]]


class GracefulShutdown:
    """Whether this process is leaving, and who has to know of it."""

    def __init__(self) -> None:
        self.begun = False
        self._tellings: list[Telling | None] = []

    def tell(self, telling: Telling | None = None) -> None:
        """A face that has callers; `telling` is called at the begin, if it does not look itself."""
        self._tellings.append(telling)

    async def begin(self) -> None:
        """Tells everyone, once."""
        if self.begun:
            return
        self.begun = True
        for telling in self._tellings:
            if telling is not None:
                await telling()

    async def drain(self, seconds: float) -> None:
        """Begins, and returns after `seconds`; at once where nobody has callers."""
        await self.begin()
        if self._tellings:
            await asyncio.sleep(seconds)


_process: ContextVar[GracefulShutdown | None] = ContextVar("draining", default=None)


def current() -> GracefulShutdown:
    """That of the process, or one that never begins where nothing listens to signals."""
    return _process.get() or GracefulShutdown()


@contextmanager
def shared() -> Generator[GracefulShutdown]:
    """What is opened inside the block has one `current` draining: what the block yields."""
    draining = current()
    token = _process.set(draining)
    try:
        yield draining
    finally:
        _process.reset(token)


@contextmanager
def of_this_process() -> Generator[GracefulShutdown]:
    """The same with a draining of its own."""
    token = _process.set(GracefulShutdown())
    try:
        with shared() as draining:
            yield draining
    finally:
        _process.reset(token)
