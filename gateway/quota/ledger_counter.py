"""Admission by the ledger, in an epoch in which it counts."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, time

import msgspec

from gateway.authentication.principal import Entitlements
from gateway.quota.bursts import Bursts
from gateway.quota.models import Decision, QuotaState, UsageRequest
from gateway.quota.ports import UsageLedger
from servicekit.errors import Conflict, ServiceError, Unavailable

_RETRY_SECONDS = 2.0


class LedgerCounter:
    """Admits by a transaction in the ledger: exact over all gateways, but slower than counters."""

    def __init__(self, ledger: UsageLedger) -> None:
        self._ledger = ledger
        self._bursts = Bursts()

    async def reserve(
        self, usage: UsageRequest, entitlements: Entitlements, undo: Callable[[UsageRequest], None]
    ) -> Decision:
        """Admit or refuse one call; `undo` is called if it may have been admitted unheard.

        Raises:
            Conflict: Valkey counts now; nothing was admitted.
            Unavailable: The ledger does not answer either.
        """
        wait = self._bursts.reserve(entitlements)
        # A caller that is too fast hears what is left, too.
        request = msgspec.structs.replace(usage, cost=0) if wait else usage
        limit = entitlements.monthly_requests
        try:
            decision = await self._ledger.admit(request, limit)
        except Conflict:
            self._bursts.refund(entitlements)
            raise
        except (ServiceError, asyncio.CancelledError) as error:
            if request.cost:
                undo(usage)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise Unavailable(
                "Requests cannot be counted now. Try again in a few seconds.",
                retry_after=_RETRY_SECONDS,
            ) from error
        if not decision.admitted:
            self._bursts.refund(entitlements)
        resets_at = datetime.combine(decision.month_end, time(), UTC)
        admitted = "admitted" if decision.admitted else "quota_exceeded"
        return Decision(
            outcome="rate_limited" if wait else admitted,
            month=f"{decision.at:%Y-%m}",
            at=decision.at,
            state=QuotaState(limit, max(0, limit - decision.used), resets_at, decision.at),
            wait_seconds=wait,
        )
