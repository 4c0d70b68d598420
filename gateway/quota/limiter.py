"""Admission of calls against the account's month and burst bucket."""

import secrets
from typing import Final

from gateway.authentication.principal import Principal
from gateway.quota.errors import AdmissionUnknown, RateLimited, month_used_up
from gateway.quota.models import Decision, QuotaState, Reservation, Seed, UsageRequest
from gateway.quota.ports import QuotaStore, UsageLedger
from servicekit.concurrency.single_flight import SingleFlight
from servicekit.errors import Unavailable
from servicekit.http.delay_seconds import delay_seconds

_SEEDINGS: Final = 3
"""Attempts to bring the month's seed: the month may turn, or a new generation begin, between the counter's reply and the seed."""


class Quota:
    """Admits calls; the first one of a month brings what the ledger already holds of it."""

    def __init__(self, store: QuotaStore, ledger: UsageLedger) -> None:
        self._store = store
        self._ledger = ledger
        self._seeding = SingleFlight[tuple[str, str, str], Seed]()

    async def admit(self, principal: Principal, tool: str, cost: int) -> Reservation:
        """Admit one call of `tool`.

        Raises:
            QuotaExceeded: The month is used up.
            RateLimited: Too many calls at once.
            Unavailable: The counter, or the ledger that it must be rebuilt from, does not answer.
        """
        try:
            return await self._reserve(principal, tool, cost)
        except AdmissionUnknown:
            return await self._reserve(principal, tool, cost)

    async def _reserve(self, principal: Principal, tool: str, cost: int) -> Reservation:
        entitlements = principal.entitlements
        usage = UsageRequest(
            entry_id=secrets.token_hex(16),
            account_id=entitlements.account_id,
            credential_id=principal.credential_id,
            tool=tool,
            cost=cost,
        )
        decision = await self._store.reserve(usage, entitlements)
        for _ in range(_SEEDINGS):
            if decision.outcome != "unseeded":
                break
            decision = await self._store.reserve(
                usage, entitlements, await self._seed(usage, decision)
            )
        return _reservation_of(usage, decision, is_own_limit=entitlements.own_monthly_requests)

    async def _seed(self, usage: UsageRequest, unseeded: Decision) -> Seed:
        key = (usage.account_id, unseeded.month, unseeded.generation)

        async def read_usage() -> Seed:
            used = await self._ledger.used_in(usage.account_id, unseeded.month)
            return Seed(used, unseeded.generation)

        return await self._seeding.do(key, read_usage)

    async def refund(self, reservation: Reservation) -> QuotaState:
        """Undo the reservation of a call that failed; return the quota at its admission, with the cost given back.

        Raises:
            ServiceError: It could not be undone.
        """
        state = reservation.state
        if reservation.usage.cost == 0:
            return state
        await self._store.refund(reservation)
        remaining = min(state.limit, state.remaining + reservation.usage.cost)
        return QuotaState(state.limit, remaining, state.resets_at, state.at)


def _reservation_of(usage: UsageRequest, decision: Decision, *, is_own_limit: bool) -> Reservation:
    state = decision.state
    if state is None:
        raise Unavailable("The request counter is being rebuilt. Try again.", retry_after=1.0)
    if decision.outcome == "quota_exceeded":
        raise month_used_up(state, decision.at, usage.cost, is_own_limit=is_own_limit)
    if decision.outcome == "rate_limited":
        wait = delay_seconds(decision.wait_seconds)
        raise RateLimited(
            f"Too many requests at once. Wait {wait} s and call again.",
            state=state,
            retry_after=wait,
        )
    return Reservation(
        usage, decision.month, decision.at, state, decision.catalog_version, decision.generation
    )
