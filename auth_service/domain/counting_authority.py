"""One authority that counts calls for all gateways: a run of Valkey, or the ledger.

An epoch has one authority. Every gateway holds a lease and renews it each second; it counts only
under a lease of the present epoch. An epoch ends when no gateway reaches its Valkey any more, when
its counters lack calls that the ledger has, or when Postgres is another server. The next one begins
after every gateway that may count has stopped, so two authorities never count at once.
"""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from auth_service.domain.ports import Store, Transactions
from auth_service.domain.usage import LEDGER, CounterState, Lease
from shapes.auth.auth import Authority, LeaseReport

LIVE: Final = timedelta(seconds=10)
"""A gateway that has not renewed its lease for so long has no say in what counts next."""

SILENT: Final = timedelta(seconds=30)
"""A gateway that is silent for so long counts no more where others reach Valkey."""

FORGOTTEN: Final = timedelta(seconds=960)
"""A gateway that has lost Postgres counts on in Valkey for 15 minutes, so its lease holds longer."""

_FIRST_EPOCH: Final = "0"


class Attendance:
    """Since when leases have been renewed here without a pause.

    After an outage of Postgres each gateway has as long as after a renewal to come back.
    """

    def __init__(self) -> None:
        self._since: datetime | None = None
        self._last: datetime | None = None

    def renewed(self, now: datetime) -> datetime:
        """Record a renewal; return the beginning."""
        if self._since is None or self._last is None or now - self._last >= LIVE:
            self._since = now
        self._last = now
        return self._since


@dataclass(frozen=True, slots=True)
class CountingAuthority:
    """Grants leases and begins epochs."""

    transactions: Transactions
    attendance: Attendance = field(default_factory=Attendance)

    async def renew(self, report: LeaseReport) -> Authority:
        """Renew a gateway's lease and return the authority it counts by."""
        async with self.transactions() as store:
            counting = store.counting
            await counting.enter_alone()
            now, timeline = await counting.now(), await counting.timeline()
            before, leases = await counting.state(), await counting.leases()
            state = _as_reported(before, report, timeline)
            leases = _with_report(leases, report, now)
            since = self.attendance.renewed(now)
            state = next_state(state, leases, now, since, _restarted_run(state, report))
            if state.epoch != before.epoch:
                leases = [replace(lease, epoch="") for lease in leases]
            leases = [_granted(lease, state, report) for lease in leases]
            if state != before:
                await counting.change(state)
            await _save(store, report, leases, begins=state.epoch != before.epoch)
        return Authority(state.epoch, "" if state.bypassed else state.counted_by, timeline)


def is_live(lease: Lease, now: datetime) -> bool:
    return now - lease.renewed_at < LIVE


def next_state(
    state: CounterState,
    leases: Sequence[Lease],
    now: datetime,
    since: datetime,
    restarted_run: str = "",
) -> CounterState:
    """Return the present state, the same with the epoch ending, or that of a new epoch.

    Args:
        state: The present one.
        leases: Of all gateways.
        now: By Postgres' clock.
        since: The beginning of the unbroken attendance.
        restarted_run: A run of Valkey that has the data of the authority, "" for none.
    """
    live = [lease for lease in leases if is_live(lease, now)]
    silent = [lease for lease in leases if _is_silent(lease, now, since)]
    reached = Counter(lease.valkey for lease in live if lease.valkey)
    if not live or not _has_to_end(state, reached, silent):
        return state
    most_reached = max(reached, key=lambda run: (reached[run], run), default=LEDGER)
    successor = state.counted_by if state.counted_by in reached else most_reached
    if _may_count(_waited_for(leases, silent, _longest_wait(state, successor, restarted_run), now)):
        return replace(state, bypassed=True)
    epoch = secrets.token_hex(8) if state.epoch else _FIRST_EPOCH
    return CounterState(epoch, False, successor, False, state.timeline)


def _has_to_end(state: CounterState, reached: Counter[str], silent: Sequence[Lease]) -> bool:
    """Return whether the epoch ends."""
    if state.bypassed or _has_lost_authority(state, reached):
        return True
    return state.counted_by in reached and _may_count(silent)


def _longest_wait(state: CounterState, successor: str, restarted_run: str) -> timedelta:
    """Return how long after its last renewal a gateway is waited for."""
    if state.counted_by in _fenced_runs(state, successor, restarted_run):
        return LIVE
    return FORGOTTEN if successor == LEDGER else SILENT


def _waited_for(
    leases: Sequence[Lease], silent: Sequence[Lease], wait: timedelta, now: datetime
) -> Sequence[Lease]:
    if wait == SILENT:
        return [lease for lease in leases if lease not in silent]
    return [lease for lease in leases if now - lease.renewed_at < wait]


def _may_count(leases: Sequence[Lease]) -> bool:
    return any(lease.epoch for lease in leases)


def _is_silent(lease: Lease, now: datetime, since: datetime) -> bool:
    return now - max(lease.renewed_at, since) >= SILENT


def _fenced_runs(state: CounterState, successor: str, restarted_run: str) -> Sequence[str]:
    """Return the authorities that cannot admit anything in another epoch.

    The ledger admits nothing in one, a Valkey that stays the authority closes the old counters, and
    a run that was followed by one with its data is over: a silent gateway need not be waited for.
    """
    return ("", LEDGER, state.counted_by if successor == restarted_run else successor)


def _restarted_run(state: CounterState, report: LeaseReport) -> str:
    """Return the reported run of Valkey if it has the data of the present epoch's authority."""
    epoch, _, run = report.generation.partition(".")
    return report.valkey if (epoch, run) == (state.epoch, state.counted_by) else ""


def _has_lost_authority(state: CounterState, reached: Counter[str]) -> bool:
    return bool(reached) if state.counted_by == LEDGER else state.counted_by not in reached


def _as_reported(state: CounterState, report: LeaseReport, timeline: str) -> CounterState:
    if timeline != state.timeline:
        # A promoted standby may lack calls. Gateways report theirs again when they see the timeline;
        # the ledger itself admits nothing before they have.
        is_promoted = bool(state.timeline) and state.counted_by == LEDGER
        state = replace(state, timeline=timeline, bypassed=state.bypassed or is_promoted)
    if not report.valkey or report.valkey != state.counted_by:
        return state
    is_intact = report.generation == f"{state.epoch}.{report.valkey}"
    if state.is_open and not is_intact:
        return replace(state, bypassed=True)
    return replace(state, is_open=is_intact)


def _with_report(leases: Sequence[Lease], report: LeaseReport, now: datetime) -> list[Lease]:
    others = [
        lease
        for lease in leases
        if lease.gateway_id != report.gateway_id and now - lease.renewed_at < FORGOTTEN
    ]
    if report.has_stopped:
        return others
    return [*others, Lease(report.gateway_id, now, report.epoch, report.valkey)]


def _granted(lease: Lease, state: CounterState, report: LeaseReport) -> Lease:
    """The reporting gateway may count from the moment of the reply, so the lease has the epoch."""
    is_granted = (
        lease.gateway_id == report.gateway_id
        and not state.bypassed
        and state.counted_by in (LEDGER, report.valkey)
    )
    return replace(lease, epoch=state.epoch) if is_granted else lease


async def _save(
    store: Store, report: LeaseReport, leases: Sequence[Lease], *, begins: bool
) -> None:
    if begins or report.has_stopped:
        await store.counting.replace_leases(leases)
    else:
        mine = [lease for lease in leases if lease.gateway_id == report.gateway_id]
        await store.counting.save_leases(mine)
