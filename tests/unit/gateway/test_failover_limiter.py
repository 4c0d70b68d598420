"""Counting by Valkey or by the ledger, over fakes of both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gateway.authentication.principal import Entitlements
from gateway.quota.counters import GenerationSnapshot
from gateway.quota.errors import AdmissionUnknown
from gateway.quota.failover import FailoverLimiter
from gateway.quota.lease import FailoverPolicy
from gateway.quota.models import Decision, Reservation, Seed, UsageEntry, UsageRequest
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import FakeAccess, decision, entitlements


class FakeValkey:
    """Counters, their generation and the gateways present in one."""

    def __init__(self) -> None:
        self.is_away = False
        self.generation = ""
        self.run_id = "run-1"
        self.stream: list[UsageEntry] = []
        self.reserved: list[tuple[UsageRequest, str]] = []
        self.refunded: list[Reservation] = []
        self.abandoned = 0
        self.opened: list[str] = []

    async def reserve(
        self,
        charge: UsageRequest,
        entitlements: Entitlements,
        seed: Seed | None = None,
        generation: str = "",
    ) -> Decision:
        del entitlements, seed
        self._fail_while_away()
        self.reserved.append((charge, generation))
        if generation != self.generation:
            return replace(decision("closed"), generation=generation)
        return replace(decision("admitted"), generation=generation)

    async def refund(self, admission: Reservation) -> bool:
        self._fail_while_away()
        self.refunded.append(admission)
        return admission.generation == self.generation

    def abandon(self) -> None:
        self.abandoned += 1

    async def read(self) -> GenerationSnapshot:
        self._fail_while_away()
        return GenerationSnapshot(self.generation, self.run_id)

    async def close(self) -> None:
        self._fail_while_away()
        self.generation = "closed"

    async def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        self._fail_while_away()
        if self.stream:
            yield self.stream

    async def open(self, generation: str) -> None:
        self._fail_while_away()
        self.generation = generation
        self.opened.append(generation)

    def _fail_while_away(self) -> None:
        if self.is_away:
            raise Unavailable("away")


def charge(entry_id: str = "e1") -> UsageRequest:
    return UsageRequest(entry_id, "account-1", "key-1", "sponsor.search", 1)


async def reserve_soon(quota: FailoverLimiter, charge: UsageRequest) -> Decision:
    """Reserve, with the lease renewed beside it as `run` does."""
    task = asyncio.ensure_future(quota.reserve(charge, entitlements()))
    while not (await asyncio.wait([task], timeout=0.001))[0]:
        await quota.refresh()
    return task.result()


async def counting(
    valkey: FakeValkey, access: FakeAccess, gateway_id: str = "gateway-1", **changes: Any
) -> FailoverLimiter:
    policy = FailoverPolicy(**{"max_wait": 0.5, **changes})
    quota = FailoverLimiter(gateway_id, valkey, valkey, access, policy)
    await quota.refresh()
    return quota


def reporting(valkey: FakeValkey, access: FakeAccess, turns: list[bool]) -> FailoverLimiter:
    """Append to `turns` at each change whether the ledger counts from then on."""
    return FailoverLimiter(
        "gateway-1",
        valkey,
        valkey,
        access,
        on_failover=lambda by_ledger, _why: turns.append(by_ledger),
    )


async def test_the_first_gateway_opens_the_counters_and_the_next_finds_them() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    await counting(valkey, access)
    await counting(valkey, access, "gateway-2")
    assert valkey.opened == ["0.run-1"]
    assert access.epoch == "0"


async def test_while_valkey_is_away_only_the_first_call_tries_it() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    reserved = len(valkey.reserved)
    valkey.is_away = True
    for number in range(5):
        assert (await reserve_soon(quota, charge(f"e{number}"))).outcome == "admitted"
    assert len(valkey.reserved) == reserved
    assert valkey.abandoned == 1
    assert set(access.ledger) == {f"e{number}" for number in range(5)}


async def test_usage_that_valkey_counted_before_is_reported_before_the_ledger_decides() -> None:
    valkey, access = FakeValkey(), FakeAccess(used=997)
    quota = await counting(valkey, access)
    for number in range(2):
        await quota.reserve(charge(f"before-{number}"), entitlements())
    valkey.is_away = True
    found = [await reserve_soon(quota, charge(f"after-{number}")) for number in range(2)]
    assert [item.outcome for item in found] == ["admitted", "quota_exceeded"]


class SlowToRecord(FakeAccess):
    """Records when it is let go."""

    def __init__(self, used: int) -> None:
        super().__init__(used=used)
        self.go = asyncio.Event()

    async def record_usage(
        self, entries: Sequence[UsageEntry], generation: str | None = None
    ) -> None:
        await self.go.wait()
        await super().record_usage(entries, generation)


async def test_nobody_is_admitted_while_the_ledger_is_being_updated() -> None:
    valkey, access = FakeValkey(), SlowToRecord(used=999)
    quota = await counting(valkey, access)
    await quota.reserve(charge("before"), entitlements())
    valkey.is_away = True
    calls = [asyncio.create_task(quota.reserve(charge(f"e{n}"), entitlements())) for n in range(2)]
    for _ in range(5):
        await asyncio.sleep(0)
    renewing = asyncio.create_task(quota.refresh())
    for _ in range(5):
        await asyncio.sleep(0)
    assert not any(call.done() for call in calls)
    access.go.set()
    await renewing
    assert [(await call).outcome for call in calls] == ["quota_exceeded"] * 2


async def test_a_call_whose_response_was_lost_counts_once() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.is_away = True
    await reserve_soon(quota, charge("lost"))
    valkey.stream.append(UsageEntry("lost", "account-1", "key-1", "t", access.now, 1))
    valkey.is_away = False
    await quota.refresh()
    assert sum(entry.cost for entry in access.ledger.values()) == 1


async def test_a_call_whose_response_was_lost_is_undone_where_valkey_still_counts() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.is_away = True
    call = asyncio.create_task(quota.reserve(charge("lost"), entitlements()))
    await asyncio.sleep(0)
    valkey.is_away = False
    await quota.refresh()
    with pytest.raises(AdmissionUnknown):
        await call
    valkey.stream.append(UsageEntry("lost", "account-1", "key-1", "t", access.now, 1))
    await quota.refresh()
    await quota.refresh()
    assert set(access.ledger) == {"lost", "lost:refund"}
    assert sum(entry.cost for entry in access.ledger.values()) == 0


async def test_a_refused_call_whose_response_was_lost_counts_for_nothing() -> None:
    valkey, access = FakeValkey(), FakeAccess(used=1000)
    quota = await counting(valkey, access)
    valkey.is_away = True
    assert (await reserve_soon(quota, charge("lost"))).outcome == "quota_exceeded"
    valkey.stream.append(UsageEntry("lost", "account-1", "key-1", "t", access.now, 1))
    valkey.is_away = False
    await quota.refresh()
    assert sum(entry.cost for entry in access.ledger.values()) == 0


async def test_counters_that_the_ledger_went_past_begin_anew() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    entry = UsageEntry("elsewhere", "account-1", "key-1", "t", access.now, 1)
    await access.record_usage([entry], "")
    assert access.bypassed
    await quota.refresh()
    assert len(valkey.opened) == 2
    assert not access.bypassed
    assert valkey.opened[1] == f"{access.epoch}.run-1"


async def test_after_an_outage_counters_begin_anew_with_what_the_ledger_counted() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.is_away = True
    await quota.refresh()
    assert quota.is_failed_over
    valkey.is_away = False
    await quota.refresh()
    assert not quota.is_failed_over
    assert valkey.generation == f"{access.epoch}.run-1"


async def test_another_run_of_valkey_is_not_believed() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    await quota.reserve(charge(), entitlements())
    valkey.run_id = "run-2"
    await quota.refresh()
    assert valkey.opened[1].endswith(".run-2")
    assert set(access.ledger) == {"e1"}


async def test_calls_wait_while_the_counters_begin_anew() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.generation = "closed"
    call = asyncio.create_task(quota.reserve(charge(), entitlements()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not call.done()
    await quota.refresh()
    assert (await call).outcome == "admitted"
    assert access.ledger == {}


async def test_without_the_ledger_open_counters_go_on() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    await counting(valkey, access)
    access.error = Unavailable("away")
    late = await counting(valkey, access, "gateway-2")
    assert (await late.reserve(charge(), entitlements())).outcome == "admitted"


async def test_without_the_ledger_counters_do_not_go_on_for_ever() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    await counting(valkey, access)
    access.error = Unavailable("away")
    quota = await counting(valkey, access, "gateway-2", alone=0)
    assert quota.is_cut_off
    with pytest.raises(Unavailable, match="cannot be counted now"):
        await quota.reserve(charge(), entitlements())


async def test_another_authority_waits_for_a_gateway_that_does_not_respond() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access, "gateway-1", max_wait=0)
    await counting(valkey, access, "gateway-2")
    now = datetime.now(UTC)
    access.leases.clock = lambda: now + timedelta(seconds=30)
    valkey.is_away = True
    await quota.refresh()
    assert quota.is_cut_off
    access.leases.clock = lambda: now + timedelta(seconds=1_000)
    await quota.refresh()
    assert quota.is_failed_over


async def test_a_gateway_that_alone_has_lost_valkey_is_cut_off_and_the_other_counts() -> None:
    near, far, access = FakeValkey(), FakeValkey(), FakeAccess()
    other = await counting(near, access, "gateway-2")
    far.is_away = True
    quota = await counting(far, access, max_wait=0.0)
    with pytest.raises(Unavailable, match="cannot be counted now"):
        await quota.reserve(charge(), entitlements())
    assert quota.is_cut_off
    assert not quota.is_failed_over
    assert (await other.reserve(charge(), entitlements())).outcome == "admitted"
    near.is_away = True
    await other.refresh()
    await quota.refresh()
    assert quota.is_failed_over


async def test_calls_that_a_promoted_standby_lacks_are_recorded_again() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    await quota.reserve(charge(), entitlements())
    access.leases.timeline_name = "2"
    await quota.refresh()
    assert set(access.ledger) == {"e1"}
    assert valkey.opened == ["0.run-1"]


async def test_a_report_to_a_promoted_standby_that_failed_is_made_again() -> None:
    valkey, access = FakeValkey(), RefusesOnce()
    quota = await counting(valkey, access)
    await quota.reserve(charge(), entitlements())
    access.leases.timeline_name = "2"
    await quota.refresh()
    assert access.ledger == {}
    await quota.refresh()
    assert set(access.ledger) == {"e1"}


class RefusesOnce(FakeAccess):
    """Does not answer the first report."""

    reports = 0

    async def record_usage(
        self, entries: Sequence[UsageEntry], generation: str | None = None
    ) -> None:
        self.reports += 1
        if self.reports == 1:
            raise Unavailable("away")
        await super().record_usage(entries, generation)


async def test_a_promoted_standby_counts_once_it_has_the_calls_that_it_lacked() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.is_away = True
    await reserve_soon(quota, charge())
    access.ledger.clear()
    epoch, access.leases.timeline_name = access.epoch, "2"
    await quota.refresh()
    assert set(access.ledger) == {"e1"}
    assert access.epoch != epoch
    assert quota.is_failed_over


async def test_the_grace_ends_and_valkeys_return_ends_the_refusals() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    valkey.is_away = True
    quota = await counting(valkey, access, grace=0)
    assert not quota.is_failed_over
    with pytest.raises(Unavailable, match="away for too long") as caught:
        await quota.reserve(charge(), entitlements())
    assert caught.value.retry_after
    valkey.is_away = False
    await quota.refresh()
    assert (await quota.reserve(charge(), entitlements())).outcome == "admitted"


async def test_a_refund_that_the_ledger_cannot_receive_is_reported_later() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    taken = await quota.reserve(charge(), entitlements())
    assert taken.state is not None
    valkey.is_away, access.error = True, Unavailable("away")
    await quota.refund(Reservation(charge(), taken.month, taken.at, taken.state, "", "0.run-1"))
    valkey.is_away, access.error = False, None
    await quota.refresh()
    assert sorted(access.ledger) == ["e1", "e1:refund"]


async def test_a_ledger_that_starts_after_the_gateway_is_no_news() -> None:
    valkey, access, turns = FakeValkey(), FakeAccess(), list[bool]()
    quota = reporting(valkey, access, turns)
    access.error = Unavailable("not up yet")
    await quota.refresh()
    await quota.refresh()
    assert not quota.is_failed_over
    access.error = None
    await quota.refresh()
    assert (await quota.reserve(charge(), entitlements())).outcome == "admitted"
    assert valkey.opened == ["0.run-1"]
    assert turns == []


async def test_a_call_before_the_ledger_is_up_has_to_come_again() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    access.error = Unavailable("not up yet")
    quota = await counting(valkey, access)
    with pytest.raises(Unavailable, match="cannot be counted now"):
        await quota.reserve(charge(), entitlements())
    assert quota.is_cut_off


async def test_without_counters_and_ledger_nothing_counts() -> None:
    valkey, access, turns = FakeValkey(), FakeAccess(), list[bool]()
    quota = reporting(valkey, access, turns)
    await quota.refresh()
    valkey.run_id, access.error = "run-2", Unavailable("away")
    await quota.refresh()
    assert quota.is_cut_off
    assert turns == []


async def test_each_failover_is_reported_once() -> None:
    valkey, access, turns = FakeValkey(), FakeAccess(), list[bool]()
    quota = reporting(valkey, access, turns)
    await quota.refresh()
    for is_away in (True, True, False, False, True):
        valkey.is_away = is_away
        await quota.refresh()
    assert turns == [True, False, True]


async def test_a_gateway_that_ends_gives_its_lease_back() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    await quota.reserve(charge(), entitlements())
    await quota.end()
    assert access.leases.rows == {}
    assert set(access.ledger) == {"e1"}
