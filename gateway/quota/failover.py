"""The `QuotaStore` that counts by Valkey, or by the ledger while no gateway reaches Valkey."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from gateway.authentication.principal import Entitlements
from gateway.quota.errors import AdmissionUnknown, NotSent
from gateway.quota.lease import CountingLease, CountingMode, FailoverPolicy, OnFailover
from gateway.quota.ledger_counter import LedgerCounter
from gateway.quota.models import Decision, Reservation, Seed, UsageRequest
from gateway.quota.ports import Counters, GenerationStore, UsageLedger
from gateway.quota.recent_calls import Counted, RecentCalls
from gateway.quota.reporting import Refused
from servicekit.errors import Conflict, ServiceError, Unavailable

_ATTEMPTS: Final = 3
_OVER_RETRY_SECONDS: Final = 10.0


class FailoverLimiter:
    """Counts by the authority of this gateway's lease; needs its `run` as a background task."""

    def __init__(  # noqa: PLR0913 - all of it is injected
        self,
        gateway_id: str,
        counters: Counters,
        generations: GenerationStore,
        ledger: UsageLedger,
        policy: FailoverPolicy | None = None,
        *,
        on_failover: OnFailover = lambda _by_ledger, _why: None,
        on_failure: Callable[[], None] = lambda: None,
        refused: Refused = lambda _entry, _why: None,
    ) -> None:
        self._counters = counters
        self._recent = RecentCalls(ledger, refused)
        self._ledger = LedgerCounter(ledger)
        self._policy = policy or FailoverPolicy()
        self._on_failure = on_failure
        self._lease = CountingLease(
            gateway_id,
            generations,
            ledger,
            self._recent,
            self._policy,
            on_failover=on_failover,
            refused=refused,
        )

    async def run(self) -> None:
        """Renew the lease until cancelled."""
        await self._lease.run()

    async def refresh(self) -> None:
        """Renew the lease once and follow the authority."""
        await self._lease.refresh()

    async def end(self) -> None:
        """Give the lease back; this gateway counts nothing any more."""
        await self._lease.end()

    async def is_by_valkey(self) -> bool:
        """Return whether Valkey counts, as `CountingLease.is_by_valkey` has it."""
        return await self._lease.is_by_valkey()

    @property
    def is_failed_over(self) -> bool:
        """Calls are admitted although Valkey is away."""
        return self._lease.is_by_ledger

    @property
    def is_counting(self) -> bool:
        """Calls are counted now, and do not wait."""
        return self._lease.is_counting

    @property
    def is_cut_off(self) -> bool:
        """Calls are refused, as nothing that this gateway reaches may count them."""
        return self._lease.is_cut_off

    def undo(self, usage: UsageRequest) -> None:
        """Undo a call whose caller went away, and that may have been admitted or not."""
        if usage.cost:
            self._recent.undo(usage)
            self._lease.renew_soon()

    async def reserve(
        self, usage: UsageRequest, entitlements: Entitlements, seed: Seed | None = None
    ) -> Decision:
        for _ in range(_ATTEMPTS):
            mode = await self._lease.mode()
            if not mode.generation:
                try:
                    return await self._by_ledger(usage, entitlements, mode)
                except Conflict:
                    self._lease.suspend("The epoch has ended.")
                    continue
            self._lease.begin_call()
            try:
                decision = await self._counters.reserve(usage, entitlements, seed, mode.generation)
                if usage.cost and decision.outcome == "admitted":
                    self._recent.add(Counted(mode.generation, usage, decision.at))
            except NotSent:
                continue
            except Unavailable as error:
                self._on_valkey_failure(error)
                # Before `end_call`: nothing counts again until this is reported.
                self.undo(usage)
                raise AdmissionUnknown(
                    "The request counter did not answer. Try again.", retry_after=1.0
                ) from error
            finally:
                self._lease.end_call()
            if decision.outcome != "closed":
                return decision
            seed = None
            self._lease.suspend("Valkey has other counters.")
        raise Unavailable("The request counter is being rebuilt. Try again.", retry_after=1.0)

    async def refund(self, admission: Reservation) -> None:
        usage, generation = admission.usage, admission.generation
        if generation and await self._refund_in_valkey(admission):
            return
        self._recent.undo(usage, admission.admitted_at)
        with suppress(ServiceError, TimeoutError):  # it is reported later
            async with asyncio.timeout(self._policy.max_wait):
                await self._recent.report_owed()
        self._lease.renew_soon()

    async def _refund_in_valkey(self, admission: Reservation) -> bool:
        self._lease.begin_call()
        try:
            is_refunded = await self._counters.refund(admission)
            if is_refunded:
                refunded_call = Counted(
                    admission.generation, admission.usage, admission.admitted_at, -1
                )
                self._recent.add(refunded_call)
        except Unavailable as error:
            self._on_valkey_failure(error)
            return False
        finally:
            self._lease.end_call()
        return is_refunded

    async def _by_ledger(
        self, usage: UsageRequest, entitlements: Entitlements, mode: CountingMode
    ) -> Decision:
        if self._lease.is_over:
            raise Unavailable(
                "The request counter has been away for too long, so no more requests are "
                "answered until it is back. Try again in a few seconds.",
                retry_after=_OVER_RETRY_SECONDS,
            )
        self._lease.begin_call()
        try:
            decision = await self._ledger.reserve(usage, entitlements, self.undo)
            if usage.cost and decision.outcome == "admitted":
                # A standby of Postgres that is promoted may not have it.
                self._recent.add(Counted(mode.epoch, usage, decision.at))
            return decision
        finally:
            self._lease.end_call()

    def _on_valkey_failure(self, error: Unavailable) -> None:
        self._on_failure()
        self._lease.suspend(str(error.__cause__ or error))
        self._counters.abandon()
