"""Counts calls by the ledger itself, while there are no counters."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, time

from gateway.authentication.principal import Entitlements
from gateway.quota.bursts import Bursts
from gateway.quota.models import Decision, QuotaState, UsageRequest
from gateway.quota.ports import UsageLedger
from gateway.quota.recent_calls import RecentCalls
from servicekit.errors import ServiceError, Unavailable

_RETRY_SECONDS = 2.0


class LedgerCounter:
    """Admits by a transaction in the ledger: exact over all gateways, but slower than counters."""

    def __init__(self, access: UsageLedger, recent: RecentCalls) -> None:
        self._access = access
        self._recent = recent
        self._bursts = Bursts()
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def idle(self) -> None:
        """Waits until no admission is under way."""
        await self._idle.wait()

    async def take(self, charge: UsageRequest, entitlements: Entitlements) -> Decision:
        """As `QuotaStore.take`. A call that may have been admitted unheard is undone.

        Raises:
            Unavailable: The ledger does not answer either.
        """
        self._under_way += 1
        self._idle.clear()
        try:
            # What this gateway counted before has to be in the sum.
            if not self._recent.is_told:
                await self._recent.tell()
            return await self._admit(charge, entitlements)
        except ServiceError as error:
            raise Unavailable(
                "Requests cannot be counted now. Try again in a few seconds.",
                retry_after=_RETRY_SECONDS,
            ) from error
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()

    async def _admit(self, charge: UsageRequest, entitlements: Entitlements) -> Decision:
        wait = self._bursts.take(entitlements)
        # Who is too fast is told what is left, too.
        asked = replace(charge, cost=0) if wait else charge
        limit = entitlements.monthly_requests
        try:
            decision = await self._access.admit(asked, limit)
        except (ServiceError, asyncio.CancelledError):
            if asked.cost:
                self._recent.undo(charge)
            raise
        if not decision.admitted:
            self._bursts.put_back(entitlements)
        resets_at = datetime.combine(decision.month_end, time(), UTC)
        return Decision(
            outcome="rate_limited"
            if wait
            else "admitted"
            if decision.admitted
            else "quota_exceeded",
            month=f"{decision.at:%Y-%m}",
            at=decision.at,
            state=QuotaState(limit, max(0, limit - decision.used), resets_at),
            wait_seconds=wait,
        )
