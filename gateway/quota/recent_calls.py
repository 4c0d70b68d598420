"""The calls of the last minute that a gateway admitted.

They are reported to the ledger again when an epoch ends or a standby of Postgres was promoted:
neither Valkey's stream nor the standby need have them.
"""

import asyncio
import math
from collections import deque
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final

import msgspec

from gateway.quota.models import UsageEntry, UsageRequest
from gateway.quota.ports import UsageLedger
from gateway.quota.reporting import Refused, report_usage
from servicekit.concurrency.single_flight import SingleFlight
from servicekit.errors import Unavailable

_BATCH: Final = 1_000
_MAX_AGE: Final = timedelta(seconds=60)
"""Longer than what a gateway that died had read waits to be taken over."""

_MAX_CALLS: Final = 30_000
"""Some 10 MB, and the calls of four seconds under the heaviest load."""

_MAX_UNDONE: Final = 15_000
"""As much memory: each is two entries."""


class Counted(msgspec.Struct, frozen=True, gc=False):
    """A call that was counted, or with a `sign` of -1 given back, under a generation."""

    generation: str
    usage: UsageRequest
    at: datetime
    sign: int = 1


class RecentCalls:
    """Counted calls of the last minute, and calls that the ledger has to hear of in any case."""

    def __init__(self, ledger: UsageLedger, refused: Refused) -> None:
        self._ledger = ledger
        self._refused = refused
        self._recent = deque[Counted](maxlen=_MAX_CALLS)
        self._owed = deque[Counted]()
        self._reporting = asyncio.Lock()
        self._attempts = SingleFlight[str, None]()
        self._attempt: asyncio.Task[None] | None = None
        self.add = self._recent.append
        """Adds a counted call, in the place of the oldest if there are too many; all that this costs while Valkey is there."""

    def undo(self, usage: UsageRequest, at: datetime | None = None) -> None:
        """Report a call with its opposite, so that it counts for nothing.

        An entry that the ledger has already is ignored. If too many wait for the ledger, the first is
        dropped with its opposite, and both are passed to `refused`.
        """
        if at is None:
            at = self._recent[-1].at if self._recent else datetime.now(UTC)
        self._owed.append(Counted("", usage, at))
        self._owed.append(Counted("", usage, at, -1))
        while len(self._owed) > 2 * _MAX_UNDONE:
            self._refused(
                _entry(self._owed.popleft()), Unavailable("The ledger is away for too long.")
            )

    def trim(self) -> None:
        """Drop calls that the ledger has got from Valkey's stream meanwhile, by the clock that they were counted by."""
        recent = self._recent
        while recent and recent[0].at < recent[-1].at - _MAX_AGE:
            recent.popleft()

    async def report(self) -> None:
        """Report everything to the ledger.

        Raises:
            Unavailable: It does not answer; the rest stays here.
        """
        async with self._reporting:
            await self._report(self._recent)
            await self._report(self._owed)

    async def report_owed(self) -> None:
        """Report what has to be reported in any case. Callers share one attempt.

        Raises:
            Unavailable: The ledger does not answer; the rest stays here.
        """
        if self._attempt is not None and not self._attempt.done():
            # It may have begun before what this caller brought. If it fails, so would the next one.
            await asyncio.shield(self._attempt)
        self._attempt = self._attempts.begin("", self._report_owed)
        await asyncio.shield(self._attempt)

    async def _report_owed(self) -> None:
        async with self._reporting:
            # What comes meanwhile is for the next attempt: nobody waits for calls after their own.
            await self._report(self._owed, len(self._owed))

    async def _report(self, calls: deque[Counted], number: float = math.inf) -> None:
        while calls and number > 0:
            batch = _of_one_generation(calls)
            number -= len(batch)
            entries = [_entry(item) for item in batch]
            reported = False
            try:
                await report_usage(self._ledger, entries, self._refused, batch[0].generation)
                reported = True
            finally:
                if not reported:
                    _put_back(calls, batch)


def _of_one_generation(calls: deque[Counted]) -> list[Counted]:
    """Remove the first calls that may be reported together."""
    batch = [calls.popleft()]
    while calls and len(batch) < _BATCH and calls[0].generation == batch[0].generation:
        batch.append(calls.popleft())
    return batch


def _put_back(calls: deque[Counted], batch: list[Counted]) -> None:
    """Put a batch before the calls, without the oldest for which newer ones have left no place."""
    space = len(batch) if calls.maxlen is None else calls.maxlen - len(calls)
    calls.extendleft(islice(reversed(batch), space))


def _entry(call: Counted) -> UsageEntry:
    usage = call.usage
    entry_id = usage.entry_id if call.sign > 0 else f"{usage.entry_id}:refund"
    return UsageEntry(
        entry_id,
        usage.account_id,
        usage.credential_id,
        usage.tool,
        call.at,
        call.sign * usage.cost,
    )
