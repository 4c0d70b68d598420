"""Slots of callers' SQL: few statements run at once, few are of one account, and accounts take turns."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from catalog_service.domain.sql.errors import SqlBusy

RETRY_SECONDS: Final = 2.0
WAIT_SECONDS: Final = 8.0
"""Longest that a statement waits for others; then its caller is told, well before the caller's own deadline."""

_PER_ACCOUNT: Final = 2
_REMEMBERED: Final = 10_000
"""Accounts of which it is known when they had their last turn."""


@dataclass(slots=True)
class Statement:
    """A statement that an account has under way.

    Attributes:
        account_id: The account.
        ending: What has to be over before another statement may take the slot; None if all is over already.
        has_slot: Whether it runs.
    """

    account_id: str
    _take: Callable[["Statement"], Awaitable[None]] = field(repr=False)
    ending: Awaitable[None] | None = None
    has_slot: bool = False

    async def wait_for_slot(self) -> None:
        """Return when the statement may run.

        Raises:
            SqlBusy: Others have had all slots for long.
        """
        await self._take(self)


@dataclass(slots=True, eq=False)
class _Waiting:
    number: int
    account_id: str
    turn: asyncio.Future[None]


class Slots:
    """Hand out slots, the next one to the account whose last turn is the longest ago.

    So a statement of a new account waits for those that run, however many others have queued.

    Args:
        size: Statements that run at once.
        waiting: Statements that wait for a slot.
        max_wait: Seconds for which one of them waits.
    """

    def __init__(self, size: int, waiting: int, max_wait: float = WAIT_SECONDS) -> None:
        self._size = size
        self._max_waiting = waiting
        self._max_wait = max_wait
        self._running = 0
        self._queue: list[_Waiting] = []
        self._numbers = itertools.count(1)
        self._turns: dict[str, int] = {}
        self._under_way: dict[str, int] = {}
        self._endings: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def of(self, account_id: str) -> AsyncGenerator[Statement]:
        """Count a statement for its account until the block ends, or what it left running has ended.

        Raises:
            SqlBusy: The account has its share already, or many wait.
        """
        under_way = self._under_way.get(account_id, 0)
        if under_way >= _PER_ACCOUNT:
            raise SqlBusy(
                f"{under_way} SQL statements of this account are under way. Wait for their answers first.",
                retry_after=RETRY_SECONDS,
            )
        if sum(self._under_way.values()) >= self._size + self._max_waiting:
            raise SqlBusy(
                "Many SQL statements are under way. Try again in a few seconds.",
                retry_after=RETRY_SECONDS,
            )
        self._under_way[account_id] = under_way + 1
        statement = Statement(account_id, self._take)
        try:
            yield statement
        finally:
            if statement.ending is None:
                self._end(statement)
            else:
                # The caller has its answer; the server goes on, and no other statement may add to its work.
                task = asyncio.ensure_future(self._end_after(statement.ending, statement))
                self._endings.add(task)
                task.add_done_callback(self._endings.discard)

    async def close(self) -> None:
        """Wait for no ending any more; each has begun by then, and closes its connection."""
        await asyncio.sleep(0)
        for task in tuple(self._endings):
            task.cancel()
        await asyncio.gather(*self._endings, return_exceptions=True)

    async def _take(self, statement: Statement) -> None:
        if self._running < self._size:
            self._begin(statement.account_id)
        else:
            waiting = _Waiting(
                next(self._numbers),
                statement.account_id,
                asyncio.get_running_loop().create_future(),
            )
            self._queue.append(waiting)
            try:
                await asyncio.wait({waiting.turn}, timeout=self._max_wait)
            except asyncio.CancelledError:
                if waiting in self._queue:
                    self._queue.remove(waiting)
                else:  # its turn came in the same moment
                    self._free()
                raise
            if not waiting.turn.done():
                self._queue.remove(waiting)
                raise self._waited_long()
        statement.has_slot = True

    def _waited_long(self) -> SqlBusy:
        return SqlBusy(
            f"SQL statements of other accounts have run for {self._max_wait:g} s, and {len(self._queue)} more wait. This one "
            "was not run and costs nothing. Try again in a few seconds.",
            retry_after=RETRY_SECONDS,
        )

    def _begin(self, account_id: str) -> None:
        self._running += 1
        self._turns.pop(account_id, None)
        if len(self._turns) >= _REMEMBERED:
            del self._turns[next(iter(self._turns))]
        self._turns[account_id] = next(self._numbers)

    def _free(self) -> None:
        self._running -= 1
        if self._queue:
            following = min(
                self._queue, key=lambda item: (self._turns.get(item.account_id, 0), item.number)
            )
            self._queue.remove(following)
            self._begin(following.account_id)
            following.turn.set_result(None)

    async def _end_after(self, ending: Awaitable[None], statement: Statement) -> None:
        try:
            await ending
        finally:
            self._end(statement)

    def _end(self, statement: Statement) -> None:
        if statement.has_slot:
            self._free()
        self._under_way[statement.account_id] -= 1
        if not self._under_way[statement.account_id]:
            del self._under_way[statement.account_id]
