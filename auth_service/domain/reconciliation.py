"""Compares what is kept of the same calls in three places: entries, sums of days, and counters.

Entries of the ledger are the truth. A sum of a day has the day's entries. A counter has the month's
entries and those that still wait in its stream. And who takes a call back takes back one that there
was.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, Protocol

from auth_service.domain.ports import Clock
from auth_service.domain.usage import CounterState

Kind = Literal["days", "counters", "refunds"]
KINDS: tuple[Kind, ...] = ("days", "counters", "refunds")

_BATCH_SIZE = 20_000
_MAX_REST_SECONDS = 1.0
_SETTLED = timedelta(hours=1)
"""A call and what takes it back may reach the ledger in either order, but not so long apart."""


@dataclass(frozen=True, slots=True)
class Month:
    """An account's month, such as "2026-11"."""

    account_id: str
    month: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Two numbers of an account's requests that should be one.

    Attributes:
        kind: "days" for a day's sum, "counters" for a month's counter, "refunds" for requests that
            were taken back and never made.
        period: The day or month.
        ledger: What the ledger's entries come to, with those that wait for it.
        other: What is kept beside them.
    """

    kind: Kind
    account_id: str
    period: str
    ledger: int
    other: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The findings of a comparison.

    `counters_skipped` says why the counters were not compared; "" if they were.
    """

    at: datetime
    differences: tuple[Difference, ...]
    counters_skipped: str = ""


class CountersApart(Exception):  # noqa: N818 - no error: there is nothing to compare with now
    """There are no counters that have every call; the message says why."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An entry that waits in the stream."""

    entry_id: str
    of: Month
    cost: int


class Counters(Protocol):
    """The month's counters in Valkey."""

    async def check(self, counting: CounterState) -> None:
        """Sees that the counters of the ledger's epoch are in use.

        Raises:
            CountersApart: They are not.
        """
        ...

    def pages(self, epoch: str) -> AsyncIterator[Mapping[Month, int]]:
        """All counters of an epoch, some at a time."""
        ...

    async def counts(self, epoch: str, months: Sequence[Month]) -> Mapping[Month, int]:
        """Return those of the counters that there are."""
        ...

    async def lower(self, epoch: str, month: Month, calls: int) -> bool:
        """Lower a counter; false when those of the epoch are not in use."""
        ...

    async def moment(
        self, epoch: str, months: Sequence[Month]
    ) -> tuple[Mapping[Month, int], Sequence[Waiting]]:
        """Counters and the entries that wait, all of one moment.

        Raises:
            CountersApart: Too many wait.
        """
        ...


class RestingLedger(Protocol):
    """The ledger of one moment; nothing is added to it until it is told to resume."""

    async def resume(self) -> None:
        """Lets go on who wants to add something; the moment stays the same."""
        ...

    async def counting(self) -> CounterState: ...

    async def used(self, months: Sequence[Month]) -> Mapping[Month, int]:
        """Requests by the entries."""
        ...

    async def sums(self, months: Sequence[Month]) -> Mapping[Month, int]:
        """Requests by the sums of days."""
        ...

    async def unknown(self, entry_ids: Sequence[str]) -> frozenset[str]:
        """Those of the entries that the ledger does not have."""
        ...


class Books(Protocol):
    """The ledger in Postgres."""

    async def counting(self) -> CounterState: ...

    async def used(self, months: Sequence[Month]) -> Mapping[Month, int]:
        """Requests by the entries."""
        ...

    async def wrong_days(self, day: date) -> Sequence[Difference]:
        """Accounts of which a sum of the day is not that of its entries."""
        ...

    async def refunds_of_nothing(self, day: date, until: datetime) -> Sequence[Difference]:
        """Accounts with entries of the day, before a moment, that take back a call of none."""
        ...

    async def sums(self, months: Sequence[Month]) -> Mapping[Month, int]:
        """Requests by the sums of days."""
        ...

    async def give_back(self, month: Month, calls: int) -> int:
        """Take back the last calls of a month that were not taken back; return their number."""
        ...

    def alone(self) -> AbstractAsyncContextManager[None]:
        """Wait until nobody else settles differences, and keep others from it until the end."""
        ...

    def at_rest(self) -> AbstractAsyncContextManager[RestingLedger]:
        """Block writers until `resume` or the end of the block."""
        ...


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Compares; changes nothing. `entry_days` is how long entries are kept."""

    books: Books
    counters: Counters
    clock: Clock
    entry_days: int

    async def compare(self) -> Comparison:
        """All whole days of which there are entries, and all counters in use."""
        at = self.clock().astimezone(UTC)
        found: list[Difference] = []
        for day in _whole_days(at, self.entry_days):
            found += await self.books.wrong_days(day)
            found += await self.books.refunds_of_nothing(day, at - _SETTLED)
        try:
            found += await self._wrong_counters(at)
        except CountersApart as apart:
            return Comparison(at, tuple(found), str(apart))
        return Comparison(at, tuple(found))

    async def compare_counters(
        self, months: Sequence[Month]
    ) -> tuple[CounterState, Sequence[Difference]]:
        """Compare some months' counters, and say in which epoch.

        A counter that agrees with the sums of days is taken for right: they are read in no time.

        Raises:
            CountersApart: There is nothing to compare with.
        """
        counting = await self.books.counting()
        await self.counters.check(counting)
        first = _first_whole_day(self.clock().astimezone(UTC), self.entry_days)
        whole = [month for month in months if first_day(month.month) >= first]
        counts = await self.counters.counts(counting.epoch, whole)
        sums = await self.books.sums(list(counts))
        suspects = [month for month, count in counts.items() if sums.get(month, 0) != count]
        if not suspects:
            return counting, ()
        return counting, await self._settled(counting, suspects, by_sums=True)

    async def _wrong_counters(self, at: datetime) -> Sequence[Difference]:
        counting = await self.books.counting()
        await self.counters.check(counting)
        first = _first_whole_day(at, self.entry_days)
        suspects: list[Month] = []
        async for counts in _batched(self.counters.pages(counting.epoch)):
            whole = {of: count for of, count in counts.items() if first_day(of.month) >= first}
            used = await self.books.used(list(whole))
            suspects += [month for month, count in whole.items() if used.get(month, 0) != count]
        # Most of them have just been called: only with the ledger at rest can that be told.
        return await self._settled(counting, suspects) if suspects else ()

    async def _settled(
        self, counting: CounterState, suspects: Sequence[Month], *, by_sums: bool = False
    ) -> Sequence[Difference]:
        """Compare at one moment; `by_sums` reads entries only where sums of days differ, too."""
        async with self.books.at_rest() as ledger:
            counts, waiting = await self._moment(counting, suspects)
            if await ledger.counting() != counting:
                raise CountersApart("The counters began anew meanwhile.")
            await ledger.resume()
            unknown = await ledger.unknown([item.entry_id for item in waiting])
            wait = {item.entry_id: item for item in waiting if item.entry_id in unknown}.values()
            if by_sums:
                expected = _with_waiting(await ledger.sums(suspects), wait)
                counts = {of: n for of, n in counts.items() if expected.get(of, 0) != n}
            expected = _with_waiting(await ledger.used(list(counts)) if counts else {}, wait)
        return [
            Difference("counters", month.account_id, month.month, expected.get(month, 0), count)
            for month, count in counts.items()
            if expected.get(month, 0) != count
        ]

    async def _moment(
        self, counting: CounterState, months: Sequence[Month]
    ) -> tuple[Mapping[Month, int], Sequence[Waiting]]:
        """Read the counters in no more time than calls can wait for the ledger."""
        try:
            async with asyncio.timeout(_MAX_REST_SECONDS):
                found = await self.counters.moment(counting.epoch, months)
                await self.counters.check(counting)
        except TimeoutError:
            raise CountersApart("Valkey is too slow to be compared with the ledger.") from None
        return found


def _with_waiting(used: Mapping[Month, int], waiting: Iterable[Waiting]) -> Mapping[Month, int]:
    expected = dict(used)
    for item in waiting:
        expected[item.of] = expected.get(item.of, 0) + item.cost
    return expected


def _whole_days(at: datetime, entry_days: int) -> Sequence[date]:
    """The days of which all entries are kept, today among them."""
    first = _first_whole_day(at, entry_days)
    return [first + timedelta(days=number) for number in range((at.date() - first).days + 1)]


def _first_whole_day(at: datetime, entry_days: int) -> date:
    return (at - timedelta(days=entry_days)).date() + timedelta(days=1)


def first_day(month: str) -> date:
    return date.fromisoformat(f"{month}-01")


def following_month(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


async def _batched(
    pages: AsyncIterator[Mapping[Month, int]],
) -> AsyncIterator[Mapping[Month, int]]:
    """Larger pages: for each of them a whole month of entries is read."""
    batch: dict[Month, int] = {}
    async for page in pages:
        batch |= page
        if len(batch) >= _BATCH_SIZE:
            yield batch
            batch = {}
    yield batch
