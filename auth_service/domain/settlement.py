"""Settle differences between counter and ledger in the caller's favour: the lower of both holds.

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
    REFUND_GRACE,
    CountersNotComparable,
    Difference,
    Month,
    Reconciliation,
)
from auth_service.domain.usage import UsageEntry, month_of

_ACTIVE: Final = timedelta(minutes=5)
_MAX_MONTHS: Final = 20_000


class ActiveMonths:
    """The accounts' months with calls that were reported in the last minutes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._reported_at: dict[Month, datetime] = {}

    def add(self, entries: Sequence[UsageEntry]) -> None:
        now, reported_at = self._clock(), self._reported_at
        for entry in entries:
            month = Month(entry.account_id, month_of(entry.admitted_at))
            reported_at.pop(month, None)  # so that the dict is in order of time
            reported_at[month] = now
        while len(reported_at) > _MAX_MONTHS:
            del reported_at[next(iter(reported_at))]

    def recent(self) -> Sequence[Month]:
        """Return the recent months and forget the others."""
        first = self._clock() - _ACTIVE
        self._reported_at = {month: at for month, at in self._reported_at.items() if at >= first}
        return list(self._reported_at)


@dataclass(frozen=True, slots=True)
class SettledDifference:
    """A difference, and the number of calls by which the higher number was lowered."""

    difference: Difference
    calls: int

    @property
    def is_counter_higher(self) -> bool:
        return self.difference.other > self.difference.ledger


class Settlement:
    """Settles the differences that two comparisons in a row have found."""

    def __init__(self, reconciliation: Reconciliation, active: ActiveMonths) -> None:
        self._reconciliation = reconciliation
        self._active = active
        self._before: dict[Month, int] = {}
        self._epoch = ""

    async def settle(self) -> Sequence[SettledDifference]:
        """Compare, and settle the differences that the last comparison found as well.

        Raises:
            Unavailable: The ledger does not answer, or another auth service holds the lock too long.
        """
        months = list(dict.fromkeys([*self._before, *self._active.recent()]))
        if not months:
            return ()
        async with self._reconciliation.store.settlement_lock():
            try:
                state, differences = await self._reconciliation.compare_counters(months)
            except CountersNotComparable:
                self._before = {}
                return ()
            before = self._before if state.epoch == self._epoch else {}
            self._epoch = state.epoch
            self._before = {_month(item): item.other - item.ledger for item in differences}
            found = [
                SettledDifference(item, _common_part(before.get(month, 0), self._before[month]))
                for item in differences
                for month in (_month(item),)
            ]
            settled = [item for item in found if item.calls and await self._lower(item)]
            for item in settled:
                # A difference that is found next is a new one, up to what is left of this one.
                left = abs(self._before[_month(item.difference)]) - item.calls
                self._before[_month(item.difference)] = left if item.is_counter_higher else -left
            return settled

    async def _lower(self, item: SettledDifference) -> bool:
        month, reconciliation = _month(item.difference), self._reconciliation
        if not item.is_counter_higher:
            # Calls that have ended come first: one under way may still fail and be refunded by its
            # gateway, which lowers the counter alone as the ledger has the refund already. The
            # total would be right then as well, after one more settlement, but it would be
            # reported as a second lost call.
            ended_before = reconciliation.clock() - REFUND_GRACE
            return await reconciliation.store.refund_last_calls(month, item.calls, ended_before) > 0
        try:
            return await reconciliation.counters.lower(self._epoch, month, item.calls)
        except CountersNotComparable:
            return False


def _month(difference: Difference) -> Month:
    return Month(difference.account_id, difference.period)


def _common_part(before: int, now: int) -> int:
    """Return the size of the part that two differences have in common."""
    return min(abs(before), abs(now)) if before * now > 0 else 0
