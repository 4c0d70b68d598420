"""This gateway's lease on the authority that counts calls, and the steps from one epoch to the next.

The auth service names one authority for all gateways. A gateway counts by it only under a lease that
it renews each second. When its epoch ends it stops, reports what it counted, says so with the next
renewal, and follows to the next epoch. It never decides alone what counts. While Postgres is away it
counts on in Valkey: no other authority begins before it has said that it stopped, or 15 minutes
are over.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from gateway.quota.counters import LEDGER, GenerationSnapshot, epoch_of, generation_name
from gateway.quota.ports import GenerationStore, UsageLedger
from gateway.quota.recent_calls import RecentCalls
from gateway.quota.reporting import Refused, report_usage
from servicekit.errors import ServiceError, Unavailable
from shapes.auth.auth import Authority, LeaseReport

_ROUNDS: Final = 6


@dataclass(frozen=True, slots=True)
class FailoverPolicy:
    """Times in seconds.

    Attributes:
        grace: How long the ledger stands in for Valkey.
        alone: How long Valkey counts without a renewed lease; less than the auth service's
            `FORGOTTEN`.
        poll: Between two renewals of the lease.
        undecided_poll: The same while nothing counts.
        max_wait: How long calls wait while nothing counts.
        lasting: How long Valkey has to count for its next outage to have a grace of its own.
        max_attempt: How long they wait beyond that for the end of an attempt that is under way: a
            busy ledger answers late.
    """

    grace: float = 900.0
    alone: float = 900.0
    poll: float = 1.0
    undecided_poll: float = 0.1
    max_wait: float = 4.0
    lasting: float = 60.0
    max_attempt: float = 0.0


@dataclass(frozen=True, slots=True)
class CountingMode:
    """The epoch, and the generation of counters in Valkey; "" while the ledger counts."""

    epoch: str
    generation: str


OnFailover = Callable[[bool, str], None]
"""Called at each change with whether the ledger counts from now on, and why."""


class CountingLease:
    """Decides whether Valkey or the ledger counts; needs its `run` as a background task."""

    def __init__(  # noqa: PLR0913 - all of it is injected
        self,
        gateway_id: str,
        generations: GenerationStore,
        ledger: UsageLedger,
        recent: RecentCalls,
        policy: FailoverPolicy,
        *,
        on_failover: OnFailover,
        refused: Refused,
    ) -> None:
        self._gateway_id = gateway_id
        self._generations = generations
        self._ledger = ledger
        self._recent = recent
        self._policy = policy
        self._on_failover = on_failover
        self._refused = refused
        self._mode: CountingMode | None = None
        self._authority: Authority | None = None
        self._renewed_at = self._undecided_since = time.monotonic()
        self._by_ledger_since: float | None = None
        self._grace_began: float | None = None
        self._by_valkey_since: float | None = None
        self._why = ""
        self._decided = asyncio.Event()
        self._nudged = asyncio.Event()
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def is_by_ledger(self) -> bool:
        """The ledger counts, and not for too long yet."""
        return self._by_ledger_since is not None and not self.is_over

    @property
    def is_over(self) -> bool:
        """The ledger has counted for as long as it may."""
        since = self._by_ledger_since
        return since is not None and time.monotonic() - since >= self._policy.grace

    @property
    def is_counting(self) -> bool:
        """Something counts this gateway's calls."""
        return self._mode is not None

    @property
    def is_cut_off(self) -> bool:
        """Nothing counts this gateway's calls, and not for a moment only."""
        return self._mode is None and self._decided.is_set()

    async def is_by_valkey(self) -> bool:
        """Return whether Valkey counts, or did until now and calls wait for what follows; awaits the first decision."""
        if self._grace_began is None and self._by_valkey_since is None:
            await self._decided.wait()
        return self._by_valkey_since is not None and not self.is_cut_off

    async def mode(self) -> CountingMode:
        """Return what counts, once that is decided.

        Raises:
            Unavailable: Nothing that this gateway reaches.
        """
        if self._mode is not None and self._mode.generation and self._has_ended():
            self.suspend("The lease has ended.")
        if not self._decided.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._rest_of_wait() + self._policy.max_attempt):
                    await self._decided.wait()
        if self._mode is None:
            raise Unavailable(
                "Requests cannot be counted now. Try again in a few seconds.", retry_after=2.0
            )
        return self._mode

    def begin_call(self) -> None:
        """Begin a call that counts in the present mode."""
        self._under_way += 1
        self._idle.clear()

    def end_call(self) -> None:
        self._under_way -= 1
        if not self._under_way:
            self._idle.set()

    def suspend(self, why: str) -> None:
        """Count nothing until the lease is renewed."""
        if self._mode is not None:
            self._mode, self._why = None, why
            self._undecided_since = time.monotonic()
            self._decided.clear()
        self._nudged.set()

    def renew_soon(self) -> None:
        self._nudged.set()

    async def run(self) -> None:
        """Renew the lease until cancelled."""
        while True:
            await self.refresh()
            pause = self._policy.undecided_poll if self._mode is None else self._policy.poll
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._nudged.wait()
            self._nudged.clear()

    async def refresh(self) -> None:
        """Renew the lease and follow the authority."""
        for _ in range(_ROUNDS):
            if await self._round():
                return

    async def end(self) -> None:
        """Give the lease back; the gateway counts nothing any more."""
        self.suspend("The gateway stops.")
        await self._idle.wait()
        with suppress(ServiceError):
            await self._recent.report()
            await self._ledger.renew(LeaseReport(self._gateway_id, has_stopped=True))

    async def _round(self) -> bool:
        """Return true when this gateway has followed as far as it can for now."""
        began = time.monotonic()
        seen = await self._read()
        has_stopped = self._mode is None
        if has_stopped:
            await self._idle.wait()
        try:
            await (self._recent.report() if has_stopped else self._recent.report_owed())
            authority = await self._ledger.renew(self._report(seen))
            if self._authority is not None and authority.timeline != self._authority.timeline:
                # A standby of Postgres was promoted, which may lack calls of the last minute.
                await self._recent.report()
        except ServiceError:
            self._without_ledger(seen)
            return True
        self._authority, self._renewed_at = authority, began
        if self._mode is None and not has_stopped:
            return False  # it stopped in this round, and has to report before it counts again
        try:
            return await self._follow(authority, seen)
        except ServiceError as error:
            self.suspend(str(error.__cause__ or error))
            self._refuse_when_late()
            return True

    async def _read(self) -> GenerationSnapshot | None:
        try:
            seen = await self._generations.read()
        except Unavailable as error:
            if self._mode is None or self._mode.generation:
                self.suspend(str(error.__cause__ or error))
                self._why = str(error.__cause__ or error)
            return None
        mode = self._mode
        is_other = mode is None or seen.generation != mode.generation or not seen.is_open
        if mode is not None and mode.generation and is_other:
            self.suspend("Valkey has other counters.")
        return seen

    def _report(self, seen: GenerationSnapshot | None) -> LeaseReport:
        epoch = "" if self._mode is None else self._mode.epoch
        if seen is None:
            return LeaseReport(self._gateway_id, epoch)
        return LeaseReport(self._gateway_id, epoch, seen.run_id, seen.generation)

    async def _follow(self, authority: Authority, seen: GenerationSnapshot | None) -> bool:
        target = _target(authority, seen)
        if self._mode is not None and self._mode != target:
            self.suspend("The epoch has ended.")
            return False
        if target is None:
            self._refuse_when_late()
            return True
        if self._mode is None:
            if target.generation and seen is not None and seen.generation != target.generation:
                await self._open(target.generation)
                return False
            self._begin(target)
        self._recent.trim()
        return True

    async def _open(self, generation: str) -> None:
        """Begin the counters of an epoch: they are seeded from the ledger, which has all calls."""
        await self._generations.close(generation)
        async for entries in self._generations.waiting():
            await report_usage(self._ledger, entries, self._refused)
        await self._generations.open(generation)

    def _without_ledger(self, seen: GenerationSnapshot | None) -> None:
        """Count on in Valkey, under the generation that was in use."""
        if self._mode is not None:
            return  # Should the ledger count, its calls fail by themselves until it is back.
        authority = self._authority
        is_open = seen is not None and seen.is_open and not self._has_ended()
        if seen is not None and is_open:
            mode = _mode_of(seen)
            if authority is None or _target(authority, seen) == mode:
                self._begin(mode)
        self._decided.set()

    def _has_ended(self) -> bool:
        return time.monotonic() - self._renewed_at >= self._policy.alone

    def _begin(self, mode: CountingMode) -> None:
        self._mode = mode
        is_by_ledger = not mode.generation
        now, valkey_since = time.monotonic(), self._by_valkey_since
        self._by_valkey_since = None if is_by_ledger else valkey_since or now
        if is_by_ledger != (self._by_ledger_since is not None):
            if is_by_ledger and not (valkey_since and now - valkey_since < self._policy.lasting):
                self._grace_began = now
            self._by_ledger_since = (self._grace_began or now) if is_by_ledger else None
            self._on_failover(is_by_ledger, self._why if is_by_ledger else "Valkey is back")
        self._decided.set()

    def _rest_of_wait(self) -> float:
        return max(0.0, self._undecided_since + self._policy.max_wait - time.monotonic())

    def _refuse_when_late(self) -> None:
        if not self._rest_of_wait():
            self._decided.set()


def _mode_of(seen: GenerationSnapshot) -> CountingMode:
    return CountingMode(epoch_of(seen.generation), seen.generation)


def _target(authority: Authority, seen: GenerationSnapshot | None) -> CountingMode | None:
    if authority.counted_by == LEDGER:
        return CountingMode(authority.epoch, "")
    if seen is None or authority.counted_by != seen.run_id:
        return None
    return CountingMode(authority.epoch, generation_name(authority.epoch, seen.run_id))
