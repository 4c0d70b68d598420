"""One authority that counts calls for all gateways: a run of Valkey, or the ledger.

An epoch has one authority. Every gateway holds a lease and renews it each second; it counts only
under a lease of the present epoch. An epoch ends when no gateway reaches its Valkey any more, when
its counters lack calls that the ledger has, or when Postgres is another server. The next one begins
after every gateway that may count has stopped, so two authorities never count at once.
"""

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from auth_service.domain.ports import Store, Transactions
from auth_service.domain.usage import LEDGER, CounterState, Lease

LEASE: Final = timedelta(seconds=10)
"""A gateway that has not renewed its lease for so long has stopped, unless it counts on alone."""

ALONE: Final = timedelta(seconds=10)
"""A gateway that has lost Postgres counts on while it sees all others in Valkey. When one of them
has been away from Valkey for so long, it has stopped."""

FORGOTTEN: Final = timedelta(seconds=960)
"""The longest that a gateway counts without having renewed its lease, and a margin."""

_FIRST_EPOCH: Final = "0"


@dataclass(frozen=True, slots=True)
class LeaseReport:
    """The report of a gateway that renews its lease.

    Attributes:
        gateway_id: Its name, unique among all gateways.
        epoch: The epoch that it counts in now, "" when it has stopped.
        valkey: The run of the Valkey server that it reaches, "" when it reaches none.
        generation: The generation of counters that Valkey has in use, "" for none.
        is_leaving: It has stopped for good.
    """

    gateway_id: str
    epoch: str
    valkey: str
    generation: str
    is_leaving: bool = False


@dataclass(frozen=True, slots=True)
class Authority:
    """The epoch and its authority, "" while gateways have to stop; and the gateways with a lease."""

    epoch: str
    counted_by: str
    gateways: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountingAuthority:
    """Grants leases and begins epochs."""

    transactions: Transactions

    async def renew(self, report: LeaseReport) -> Authority:
        """Renew a gateway's lease and return the authority it counts by."""
        async with self.transactions() as store:
            counting = store.counting
            await counting.enter_alone()
            now, timeline = await counting.now(), await counting.timeline()
            before, leases = await counting.state(), await counting.leases()
            state = _as_reported(before, report, timeline)
            leases = _with_report(leases, report, state, now)
            state = next_state(state, leases, now)
            if state.epoch != before.epoch:
                leases = [_reset(lease, state, now) for lease in leases]
            leases = [_granted(lease, state, report) for lease in leases]
            if state != before:
                await counting.change(state)
            await _save(store, report, leases, begins=state.epoch != before.epoch)
        live = sorted(lease.gateway_id for lease in leases if is_live(lease, now))
        return Authority(state.epoch, "" if state.bypassed else state.counted_by, tuple(live))


def is_live(lease: Lease, now: datetime) -> bool:
    return now - lease.renewed_at < LEASE


def next_state(state: CounterState, leases: Sequence[Lease], now: datetime) -> CounterState:
    """Return the present state, the same with the epoch ending, or that of a new epoch."""
    live = [lease for lease in leases if is_live(lease, now)]
    reached = Counter(lease.valkey for lease in live if lease.valkey)
    if not live or not (state.bypassed or _has_lost_authority(state, reached)):
        return state
    if state.counted_by in reached:
        successor = state.counted_by
    else:
        successor = max(reached, key=lambda run: (reached[run], run), default=LEDGER)
    if any(_may_count(lease, state, successor, live, now) for lease in leases):
        return replace(state, bypassed=True)
    epoch = secrets.token_hex(8) if state.epoch else _FIRST_EPOCH
    return CounterState(epoch, False, successor, False, state.timeline)


def _has_lost_authority(state: CounterState, reached: Counter[str]) -> bool:
    return bool(reached) if state.counted_by == LEDGER else state.counted_by not in reached


def _may_count(
    lease: Lease, state: CounterState, successor: str, live: Iterable[Lease], now: datetime
) -> bool:
    """Return whether a gateway may still count in the epoch that is to end."""
    if not lease.epoch:
        return False
    if is_live(lease, now):
        return True
    # The ledger admits nothing in another epoch, and the Valkey that goes on closes the old counters.
    if state.counted_by in ("", LEDGER, successor) or now - lease.renewed_at >= FORGOTTEN:
        return False
    return not any(
        other.valkey_seen_at is not None and now - other.valkey_seen_at >= ALONE for other in live
    )


def _as_reported(state: CounterState, report: LeaseReport, timeline: str) -> CounterState:
    if timeline != state.timeline:
        # The ledger of a promoted standby may lack calls: gateways record again what they remember.
        state = replace(
            state,
            timeline=timeline,
            bypassed=state.bypassed or bool(state.timeline and state.epoch),
        )
    if not report.valkey or report.valkey != state.counted_by:
        return state
    is_intact = report.generation == f"{state.epoch}.{report.valkey}"
    if state.is_open and not is_intact:
        return replace(state, bypassed=True)
    return replace(state, is_open=is_intact)


def _with_report(
    leases: Sequence[Lease], report: LeaseReport, state: CounterState, now: datetime
) -> list[Lease]:
    others = [
        lease
        for lease in leases
        if lease.gateway_id != report.gateway_id and now - lease.renewed_at < FORGOTTEN
    ]
    if report.is_leaving:
        return others
    mine = next((lease for lease in leases if lease.gateway_id == report.gateway_id), None)
    if report.valkey and report.valkey == state.counted_by:
        seen_at = now
    else:
        seen_at = mine.valkey_seen_at if mine is not None and is_live(mine, now) else None
    return [*others, Lease(report.gateway_id, now, report.epoch, report.valkey, seen_at)]


def _reset(lease: Lease, state: CounterState, now: datetime) -> Lease:
    has_seen = is_live(lease, now) and lease.valkey == state.counted_by
    return replace(lease, epoch="", valkey_seen_at=lease.renewed_at if has_seen else None)


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
    if begins or report.is_leaving:
        await store.counting.replace_leases(leases)
    else:
        mine = [lease for lease in leases if lease.gateway_id == report.gateway_id]
        await store.counting.save_leases(mine)
