"""What a gateway remembers of the calls that it admitted lately.

They wait in Valkey for the ledger. Should Valkey lose its memory, they are told from here.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Final

from gateway.quota.call_log import CallLog, Counted
from gateway.quota.models import UsageEntry, UsageRequest
from gateway.quota.ports import UsageLedger
from gateway.quota.reporting import Refused, tell_ledger

_BATCH: Final = 1_000
_KEPT: Final = timedelta(seconds=60)
"""Longer than what a gateway that died had read waits to be taken over."""

_MOST: Final = 30_000
"""Some 3 MB, and the calls of four seconds under the heaviest load."""


class RecentCalls:
    """Counted calls of the last minute, and what the ledger has to be told in any case."""

    def __init__(self, access: UsageLedger, refused: Refused) -> None:
        self._access = access
        self._refused = refused
        self._recent = CallLog()
        self._owed = CallLog()
        self._telling = asyncio.Lock()
        self.note = self._recent.append
        """Remembers a call; all that this costs while Valkey is there."""

    @property
    def owes(self) -> bool:
        """Whether there is something that has to be told in any case."""
        return bool(self._owed)

    @property
    def is_told(self) -> bool:
        """Whether the ledger has heard of everything."""
        return not (self._recent or self._owed or self._telling.locked())

    def undo(self, charge: UsageRequest, at: datetime | None = None) -> None:
        """Sees that the ledger counts a call for nothing, whether or not it hears of it elsewhere.

        The call and its opposite are told together: one that is known already is ignored.
        """
        if at is None:
            at = self._recent.last_at if self._recent else datetime.now(UTC)
        self._owed.append(Counted("", charge, at))
        self._owed.append(Counted("", charge, at, -1))

    def trim(self) -> None:
        """Forgets what is old, by the clock that the calls were counted by."""
        recent = self._recent
        while recent and (len(recent) > _MOST or recent.first_at < recent.last_at - _KEPT):
            recent.popleft()

    async def tell(self) -> None:
        """Tells the ledger everything.

        Raises:
            Unavailable: It does not answer; what it was not told is kept.
        """
        async with self._telling:
            await self._tell(self._recent)
            await self._tell(self._owed)

    async def tell_owed(self) -> None:
        """Tells what has to be told in any case, as `tell` does."""
        async with self._telling:
            await self._tell(self._owed)

    async def _tell(self, calls: CallLog) -> None:
        while calls:
            batch = _of_one_lineage(calls)
            entries = [_entry(item) for item in batch]
            told = False
            try:
                await tell_ledger(self._access, entries, self._refused, batch[0].lineage)
                told = True
            finally:
                if not told:
                    for item in reversed(batch):
                        calls.appendleft(item)


def _of_one_lineage(calls: CallLog) -> list[Counted]:
    """Takes the first ones that may be told together."""
    batch = [calls.popleft()]
    while calls and len(batch) < _BATCH and calls.first_lineage == batch[0].lineage:
        batch.append(calls.popleft())
    return batch


def _entry(one: Counted) -> UsageEntry:
    charge = one.charge
    entry_id = charge.entry_id if one.sign > 0 else f"{charge.entry_id}:refund"
    return UsageEntry(
        entry_id,
        charge.account_id,
        charge.credential_id,
        charge.tool,
        one.at,
        one.sign * charge.cost,
    )
