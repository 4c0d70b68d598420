"""The `QuotaStore` that goes on without Valkey for a while.

Valkey counts. While it is away, the ledger itself admits calls, until the grace is over. Both know a
call by the id of its entry, so that one whose answer was lost may be brought to the other: it
counts once.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from gateway.authentication.principal import Entitlements
from gateway.quota.call_log import Counted
from gateway.quota.ledger_counter import LedgerCounter
from gateway.quota.models import Decision, Reservation, Seed, UsageRequest
from gateway.quota.ports import Counters, GenerationStore, UsageLedger
from gateway.quota.rebuild import Renewal
from gateway.quota.recent_calls import RecentCalls
from gateway.quota.reporting import Refused
from servicekit.errors import ServiceError, Unavailable

_ATTEMPTS: Final = 3
_OVER_RETRY_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class FailoverPolicy:
    """How long and how often, in seconds.

    Attributes:
        grace: How long the ledger stands in for Valkey.
        look: Between two looks at Valkey.
        compare: Between two looks whether anything has bypassed the counters.
        returning: How long calls wait at most while the counters begin anew.
        starting: How long a gateway that starts waits quietly for a ledger that starts beside it.
        starting_look: Between two looks meanwhile.
    """

    grace: float = 900.0
    look: float = 1.0
    compare: float = 5.0
    returning: float = 3.0
    starting: float = 20.0
    starting_look: float = 0.1


class _Unbegun(Unavailable):
    """Valkey answers but has no counters in use, and the ledger does not answer."""


Turned = Callable[[bool, str], None]
"""Hears of each turn: whether the ledger counts from now on, and why."""


class FailoverLimiter:
    """Counts by Valkey, or else by the ledger. `run` has to be running."""

    def __init__(
        self,
        counters: Counters,
        memory: GenerationStore,
        access: UsageLedger,
        policy: FailoverPolicy | None = None,
        *,
        turned: Turned = lambda _by_ledger, _why: None,
        refused: Refused = lambda _entry, _why: None,
    ) -> None:
        self._counters = counters
        self._memory = memory
        self._access = access
        self._policy = policy or FailoverPolicy()
        self._turned = turned
        self._recent = RecentCalls(access, refused)
        self._ledger = LedgerCounter(access, self._recent)
        self._renewal = Renewal(memory, access, self._recent, refused)
        self._lineage: str | None = None
        self._decided = asyncio.Event()
        self._nudged = asyncio.Event()
        self._away_since: float | None = None
        self._compare_at = 0.0
        self._starting_until: float | None = time.monotonic() + self._policy.starting

    @property
    def is_failed_over(self) -> bool:
        """Whether calls are admitted although Valkey is away."""
        return self._away_since is not None and not self._is_over()

    def undo(self, charge: UsageRequest) -> None:
        """Undoes a call whose caller went away, and that may have been admitted or not."""
        if charge.cost:
            self._recent.undo(charge)
            self._compare_soon()

    async def take(
        self, charge: UsageRequest, entitlements: Entitlements, seed: Seed | None = None
    ) -> Decision:
        for _ in range(_ATTEMPTS):
            if self._lineage is None:
                await self._decided.wait()
            lineage = self._lineage
            if lineage is None:
                return await self._by_ledger(charge, entitlements)
            try:
                verdict = await self._counters.take(charge, entitlements, seed, lineage)
            except Unavailable as error:
                self._lose(str(error.__cause__ or error))
                return await self._by_ledger(charge, entitlements, is_doubtful=True)
            if verdict.outcome != "closed":
                if charge.cost and verdict.outcome == "admitted":
                    self._recent.note(Counted(lineage, charge, verdict.at))
                return verdict
            seed = None
            self._found_closed(verdict.lineage)
        raise Unavailable("The request counter is being rebuilt. Try again.", retry_after=1.0)

    async def refund(self, admission: Reservation) -> None:
        charge, lineage = admission.charge, admission.lineage
        if lineage and lineage == self._lineage:
            try:
                if await self._counters.refund(admission):
                    self._recent.note(Counted(lineage, charge, admission.admitted_at, -1))
                    return
                self._found_closed(lineage)
            except Unavailable as error:
                self._lose(str(error.__cause__ or error))
        self._recent.undo(charge, admission.admitted_at)
        with suppress(ServiceError):  # it is told later
            await self._recent.tell_owed()
        self._compare_soon()

    async def run(self) -> None:
        """Looks after Valkey until cancelled."""
        while True:
            await self.look()
            pause = self._policy.starting_look if self._is_starting() else self._policy.look
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._nudged.wait()
            self._nudged.clear()

    async def look(self) -> None:
        """Finds out who is to count from now on."""
        try:
            await (self._return() if self._lineage is None else self._check())
        except (ServiceError, TimeoutError) as error:
            if isinstance(error, _Unbegun) and self._is_starting():
                self._decided.set()
                return
            self._lose(str(error.__cause__ or error) or type(error).__name__)
            with suppress(ServiceError):
                await self._recent.tell()

    async def _by_ledger(
        self, charge: UsageRequest, entitlements: Entitlements, *, is_doubtful: bool = False
    ) -> Decision:
        is_counted = False
        try:
            if self._is_over():
                raise Unavailable(
                    "The request counter has been away for too long, so no more requests are "
                    "answered until it is back. Try again in a few seconds.",
                    retry_after=_OVER_RETRY_SECONDS,
                )
            verdict = await self._ledger.take(charge, entitlements)
            is_counted = verdict.outcome == "admitted"
            return verdict
        finally:
            if is_doubtful and not is_counted:
                self.undo(charge)

    async def _check(self) -> None:
        seen = await self._memory.look()
        if seen.lineage != self._lineage or not seen.is_open:
            await self._return()
            return
        self._recent.trim()
        if time.monotonic() < self._compare_at and not self._recent.owes:
            return
        self._compare_at = time.monotonic() + self._policy.compare
        try:
            await self._recent.tell_owed()
            has_all = seen.is_of(await self._access.counting())
        except ServiceError:
            return  # The counters go on without the ledger.
        if not has_all:
            await self._return()

    async def _return(self) -> None:
        await self._memory.look()  # While it does not answer, calls go on by the ledger.
        self._lineage = None
        self._decided.clear()
        try:
            async with asyncio.timeout(self._policy.returning):
                await self._ledger.idle()
                lineage = await self._renewal.lineage()
        except (ServiceError, TimeoutError):
            lineage = await self._as_it_is()
        self._lineage = lineage
        self._starting_until = None
        self._decided.set()
        if self._away_since is not None:
            self._away_since = None
            self._turned(False, "Valkey is back")

    async def _as_it_is(self) -> str:
        """The lineage in use, which could not be compared with the ledger now."""
        seen = await self._memory.look()
        if seen.lineage is None or not seen.is_open:
            raise _Unbegun("The request counter could not be rebuilt: the ledger does not answer.")
        return seen.lineage

    def _found_closed(self, lineage: str) -> None:
        if lineage == self._lineage:
            self._lineage = None
            self._decided.clear()
            self._nudged.set()

    def _compare_soon(self) -> None:
        self._compare_at = 0.0
        self._nudged.set()

    def _lose(self, why: str) -> None:
        self._lineage = None
        self._decided.set()
        self._counters.abandon()
        if self._away_since is None:
            self._away_since = time.monotonic()
            self._nudged.set()
            self._turned(True, why)

    def _is_starting(self) -> bool:
        """Whether nobody has counted yet, and it is too early to worry."""
        until = self._starting_until
        return until is not None and time.monotonic() < until

    def _is_over(self) -> bool:
        since = self._away_since
        return since is not None and time.monotonic() - since >= self._policy.grace
