"""Settles differences between counter and ledger in the caller's favour: the lower of both holds.

Months of accounts that were active in the last minutes are compared every few seconds. A difference
is settled once two comparisons in a row have found it: gateways may just be reporting calls again
that a promoted standby of Postgres lacks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from auth_service.domain.ports import Clock
from auth_service.domain.reconciliation import (
    CountersApart,
    Difference,
    Month,
    Reconciliation,
)
from auth_service.domain.usage import UsageEntry, month_of

_ACTIVE: Final = timedelta(minutes=5)
_MAX_MONTHS: Final = 20_000


class ActiveMonths:
    """The accounts' months of which calls were reported in the last minutes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._reported_at: dict[Month, datetime] = {}

    def add(self, entries: Sequence[UsageEntry]) -> None:
        now, reported_at = self._clock(), self._reported_at
        for entry in entries:
            month = Month(entry.account_id, month_of(entry.admitted_at))
            reported_at.pop(month, None)  # the first ones are those that were longest ago
            reported_at[month] = now
        while len(reported_at) > _MAX_MONTHS:
            del reported_at[next(iter(reported_at))]

    def recent(self) -> Sequence[Month]:
        """Return the months, and forget those of before."""
        first = self._clock() - _ACTIVE
        self._reported_at = {of: at for of, at in self._reported_at.items() if at >= first}
        return list(self._reported_at)


@dataclass(frozen=True, slots=True)
class SettledDifference:
    """A difference, and the number of calls that were taken from the higher one of both."""

    difference: Difference
    calls: int

    @property
    def is_counter_higher(self) -> bool:
        return self.difference.other > self.difference.ledger


class Settlement:
    """Compares again and again, and settles what stays different."""

    def __init__(self, reconciliation: Reconciliation, active: ActiveMonths) -> None:
        self._reconciliation = reconciliation
        self._active = active
        self._before: dict[Month, int] = {}
        self._epoch = ""

    async def settle(self) -> Sequence[SettledDifference]:
        """Compare, and settle what differed the last time, too.

        Raises:
            Unavailable: The ledger does not answer, or somebody else settles for too long.
        """
        months = list(dict.fromkeys([*self._before, *self._active.recent()]))
        if not months:
            return ()
        async with self._reconciliation.books.alone():
            try:
                state, differences = await self._reconciliation.compare_counters(months)
            except CountersApart:
                self._before = {}
                return ()
            before = self._before if state.epoch == self._epoch else {}
            self._epoch = state.epoch
            self._before = {_month(item): item.other - item.ledger for item in differences}
            found = [
                SettledDifference(item, _lasting(before.get(month, 0), self._before[month]))
                for item in differences
                for month in (_month(item),)
            ]
            return [item for item in found if item.calls and await self._lower(item)]

    async def _lower(self, item: SettledDifference) -> bool:
        month, books = _month(item.difference), self._reconciliation.books
        if not item.is_counter_higher:
            return await books.give_back(month, item.calls) > 0
        try:
            return await self._reconciliation.counters.lower(self._epoch, month, item.calls)
        except CountersApart:
            return False


def _month(difference: Difference) -> Month:
    return Month(difference.account_id, difference.period)


def _lasting(before: int, now: int) -> int:
    """Return the size of the part that two differences have in common."""
    return min(abs(before), abs(now)) if before * now > 0 else 0
