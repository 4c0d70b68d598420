"""Slots of callers' SQL: few statements run at once, and few of one account."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from catalog_service.domain.sql.errors import SqlBusy

RETRY_SECONDS: Final = 2.0
_PER_ACCOUNT: Final = 2


@dataclass(slots=True)
class Slot:
    """A place among the statements that run at once.

    Attributes:
        ending: What has to be over before another may take it; None if all is over already.
    """

    ending: Awaitable[None] | None = None


class Slots:
    """Hand out slots.

    Args:
        size: Statements that run at once.
        waiting: Statements that wait for a slot.
    """

    def __init__(self, size: int, waiting: int) -> None:
        self._size = size
        self._waiting = waiting
        self._free = asyncio.Semaphore(size)
        self._held: dict[str, int] = {}
        self._endings: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def of(self, account_id: str) -> AsyncGenerator[Slot]:
        """Wait for a slot.

        Raises:
            SqlBusy: The account has its share already, or many wait.
        """
        held = self._held.get(account_id, 0)
        if held >= _PER_ACCOUNT:
            raise SqlBusy(
                f"{held} SQL statements of this account are under way. Wait for their answers first.",
                retry_after=RETRY_SECONDS,
            )
        if sum(self._held.values()) >= self._size + self._waiting:
            raise SqlBusy(
                "Many SQL statements are under way. Try again in a few seconds.",
                retry_after=RETRY_SECONDS,
            )
        self._held[account_id] = held + 1
        slot = Slot()
        try:
            await self._free.acquire()
        except BaseException:
            self._leave(account_id)
            raise
        try:
            yield slot
        finally:
            if slot.ending is None:
                self._release(account_id)
            else:
                # The caller has its answer; the server goes on, and no other statement may add to its work.
                task = asyncio.ensure_future(self._release_after(slot.ending, account_id))
                self._endings.add(task)
                task.add_done_callback(self._endings.discard)

    async def close(self) -> None:
        """Wait for no ending any more."""
        for task in tuple(self._endings):
            task.cancel()
        await asyncio.gather(*self._endings, return_exceptions=True)

    async def _release_after(self, ending: Awaitable[None], account_id: str) -> None:
        try:
            await ending
        finally:
            self._release(account_id)

    def _release(self, account_id: str) -> None:
        self._free.release()
        self._leave(account_id)

    def _leave(self, account_id: str) -> None:
        self._held[account_id] -= 1
        if not self._held[account_id]:
            del self._held[account_id]
