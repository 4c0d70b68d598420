"""Compare three records of the same calls: ledger entries, daily sums and monthly counters.

The entries of the ledger are the truth. A daily sum adds up the day's entries. A counter adds up the
month's entries and those still pending in Valkey's stream. Every refund has its call.
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
_MAX_BLOCK_SECONDS = 1.0
REFUND_GRACE = timedelta(hours=1)
"""A call and its refund may reach the ledger in either order, but not further apart than this."""


@dataclass(frozen=True, slots=True)
class Month:
    """An account's month, such as "2026-11"."""

    account_id: str
    month: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Two numbers of an account's requests that should be equal.

    Attributes:
        kind: "days" for a day's sum, "counters" for a month's counter, "refunds" for refunds of
            calls that were never recorded.
        period: The day or month.
        ledger: The sum of the ledger's entries and of the pending ones.
        other: The number that is compared with it.
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


class CountersNotComparable(Exception):  # noqa: N818 - no error: there is nothing to compare with now
    """No counters hold every call now; the message says why."""


@dataclass(frozen=True, slots=True)
class PendingEntry:
    """An entry in Valkey's stream that the ledger may not have yet."""

    entry_id: str
    month: Month
    cost: int


class Counters(Protocol):
    """The month's counters in Valkey."""

    async def check(self, state: CounterState) -> None:
        """Check that the counters of the ledger's epoch are in use.

        Raises:
            CountersNotComparable: They are not.
        """
        ...

    def pages(self, epoch: str) -> AsyncIterator[Mapping[Month, int]]:
        """Yield all counters of an epoch in pages."""
        ...

    async def counts(self, epoch: str, months: Sequence[Month]) -> Mapping[Month, int]:
        """Return the counters that exist."""
        ...

    async def lower(self, epoch: str, month: Month, calls: int) -> bool:
        """Lower a counter; false when those of the epoch are not in use."""
        ...

    async def snapshot(
        self, epoch: str, months: Sequence[Month]
    ) -> tuple[Mapping[Month, int], Sequence[PendingEntry]]:
        """Return counters and pending entries as of one moment.

        Raises:
            CountersNotComparable: Too many entries are pending.
        """
        ...


class LedgerSnapshot(Protocol):
    """The ledger as of one moment; writers are blocked until `unblock_writers`."""

    async def unblock_writers(self) -> None:
        """Let writers continue; the snapshot stays the same."""
        ...

    async def counter_state(self) -> CounterState: ...

    async def used(self, months: Sequence[Month]) -> Mapping[Month, int]:
        """Sum up requests by the entries."""
        ...

    async def sums(self, months: Sequence[Month]) -> Mapping[Month, int]:
        """Sum up requests by the daily sums."""
        ...

    async def missing(self, entry_ids: Sequence[str]) -> frozenset[str]:
        """Return the ids of which the ledger has no entry."""
        ...


class ReconciliationStore(Protocol):
    """The ledger in Postgres."""

    async def counter_state(self) -> CounterState: ...

    async def used(self, months: Sequence[Month]) -> Mapping[Month, int]:
        """Sum up requests by the entries."""
        ...

    async def wrong_days(self, day: date) -> Sequence[Difference]:
        """Return accounts of which a sum of the day is not that of its entries."""
        ...

    async def refunds_without_call(self, day: date, until: datetime) -> Sequence[Difference]:
        """Return accounts with refunds of the day, before `until`, that have no call."""
        ...

    async def sums(self, months: Sequence[Month]) -> Mapping[Month, int]:
        """Sum up requests by the daily sums."""
        ...

    async def refund_last_calls(self, month: Month, requests: int, ended_before: datetime) -> int:
        """Refund the last calls of a month that have no refund yet, until so many requests are back; return their number.

        The last of them may count as more requests than are left: all of them are given back.
        Calls after `ended_before` may still be under way: they are refunded only if the earlier
        ones are too few.
        """
        ...

    def settlement_lock(self) -> AbstractAsyncContextManager[None]:
        """Hold the lock on settling differences, of which there is one for all auth services."""
        ...

    def snapshot(self) -> AbstractAsyncContextManager[LedgerSnapshot]:
        """Block writers until `unblock_writers` or the end of the block."""
        ...


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Compares and changes nothing. Entries are deleted after `entry_days`."""

    store: ReconciliationStore
    counters: Counters
    clock: Clock
    entry_days: int

    async def compare(self) -> Comparison:
        """Compare all whole days that still have their entries, and all counters in use."""
        at = self.clock().astimezone(UTC)
        found: list[Difference] = []
        for day in _whole_days(at, self.entry_days):
            found += await self.store.wrong_days(day)
            found += await self.store.refunds_without_call(day, at - REFUND_GRACE)
        try:
            found += await self._wrong_counters(at)
        except CountersNotComparable as reason:
            return Comparison(at, tuple(found), str(reason))
        return Comparison(at, tuple(found))

    async def compare_counters(
        self, months: Sequence[Month]
    ) -> tuple[CounterState, Sequence[Difference]]:
        """Compare some months' counters; return the state that they were compared in as well.

        A counter that equals its daily sums is taken for right, as daily sums are read fast.

        Raises:
            CountersNotComparable: No counters hold every call now.
        """
        state = await self.store.counter_state()
        await self.counters.check(state)
        first = _first_whole_day(self.clock().astimezone(UTC), self.entry_days)
        complete = [month for month in months if first_day(month.month) >= first]
        counts = await self.counters.counts(state.epoch, complete)
        sums = await self.store.sums(list(counts))
        suspects = [month for month, count in counts.items() if sums.get(month, 0) != count]
        if not suspects:
            return state, ()
        return state, await self._compare_exactly(state, suspects, by_sums=True)

    async def _wrong_counters(self, at: datetime) -> Sequence[Difference]:
        state = await self.store.counter_state()
        await self.counters.check(state)
        first = _first_whole_day(at, self.entry_days)
        suspects: list[Month] = []
        async for counts in _batched(self.counters.pages(state.epoch)):
            complete = {
                month: count for month, count in counts.items() if first_day(month.month) >= first
            }
            used = await self.store.used(list(complete))
            suspects += [month for month, count in complete.items() if used.get(month, 0) != count]
        # Most of these accounts have just made calls: only a snapshot tells them from wrong counters.
        return await self._compare_exactly(state, suspects) if suspects else ()

    async def _compare_exactly(
        self, state: CounterState, suspects: Sequence[Month], *, by_sums: bool = False
    ) -> Sequence[Difference]:
        """Compare as of one moment; with `by_sums`, read entries only where daily sums differ as well."""
        async with self.store.snapshot() as ledger:
            counts, pending = await self._counters_snapshot(state, suspects)
            if await ledger.counter_state() != state:
                raise CountersNotComparable("The counters began anew meanwhile.")
            await ledger.unblock_writers()
            missing = await ledger.missing([entry.entry_id for entry in pending])
            added = {
                entry.entry_id: entry for entry in pending if entry.entry_id in missing
            }.values()
            if by_sums:
                expected = _with_pending(await ledger.sums(suspects), added)
                counts = {
                    month: count
                    for month, count in counts.items()
                    if expected.get(month, 0) != count
                }
            expected = _with_pending(await ledger.used(list(counts)) if counts else {}, added)
        return [
            Difference("counters", month.account_id, month.month, expected.get(month, 0), count)
            for month, count in counts.items()
            if expected.get(month, 0) != count
        ]

    async def _counters_snapshot(
        self, state: CounterState, months: Sequence[Month]
    ) -> tuple[Mapping[Month, int], Sequence[PendingEntry]]:
        """Read the counters within the time for which calls may wait for the ledger."""
        try:
            async with asyncio.timeout(_MAX_BLOCK_SECONDS):
                found = await self.counters.snapshot(state.epoch, months)
                await self.counters.check(state)
        except TimeoutError:
            raise CountersNotComparable(
                "Valkey is too slow to be compared with the ledger."
            ) from None
        return found


def _with_pending(
    used: Mapping[Month, int], pending: Iterable[PendingEntry]
) -> Mapping[Month, int]:
    expected = dict(used)
    for entry in pending:
        expected[entry.month] = expected.get(entry.month, 0) + entry.cost
    return expected


def _whole_days(at: datetime, entry_days: int) -> Sequence[date]:
    """Return the days of which no entries were deleted yet, up to today."""
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
    """Join small pages into large ones, as each of them costs a read of a whole month of entries."""
    batch: dict[Month, int] = {}
    async for page in pages:
        batch |= page
        if len(batch) >= _BATCH_SIZE:
            yield batch
            batch = {}
    yield batch
