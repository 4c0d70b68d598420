"""Results for everybody: read at most once an hour by calls of the site itself, which are never counted."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

from auth_service.domain.explore.calls import ToolCallError
from auth_service.domain.ports import Clock

_FRESH: Final = timedelta(hours=1)
_RETRY: Final = timedelta(minutes=1)
_WAIT_SECONDS: Final = 0.5

T = TypeVar("T")


class HourlyResult(Generic[T]):
    """Hold a result of this process. A page waits for it briefly, and else does without.

    Args:
        read: Reads it anew; a `ToolCallError` leaves the former result.
        empty: What there is before the first reading.
    """

    def __init__(self, read: Callable[[], Awaitable[T]], empty: T, clock: Clock) -> None:
        self._read = read
        self._result = empty
        self._clock = clock
        self._is_read = False
        self._due_at: datetime | None = None
        self._reading: asyncio.Task[None] | None = None

    async def get(self) -> T:
        """Return the result; the empty one while the gateway does not respond."""
        now = self._clock()
        if self._reading is None and (self._due_at is None or now >= self._due_at):
            self._due_at = now + _RETRY
            self._reading = asyncio.create_task(self._renew())
            self._reading.add_done_callback(self._ended)
        if self._reading is not None and not self._is_read:
            await asyncio.wait([self._reading], timeout=_WAIT_SECONDS)
        return self._result

    async def _renew(self) -> None:
        try:
            result = await self._read()
        except ToolCallError:
            return
        self._result, self._is_read, self._due_at = result, True, self._clock() + _FRESH

    def _ended(self, reading: asyncio.Task[None]) -> None:
        self._reading = None
        if not reading.cancelled():
            reading.result()
