"""Counting by Valkey or by the ledger, over fakes of both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from gateway.authentication.principal import Entitlements
from gateway.quota.counters import GenerationSnapshot
from gateway.quota.errors import AdmissionUnknown, NotSent, QuotaExceeded
from gateway.quota.failover import FailoverLimiter
from gateway.quota.lease import FailoverPolicy
from gateway.quota.limiter import Quota
from gateway.quota.models import Decision, Reservation, Seed, UsageEntry, UsageRequest
from servicekit.errors import Unavailable
from shapes.auth.auth import Authority, LeaseReport
from tests.fakes.gateway_ports import FakeAccess, decision, entitlements, principal


class FakeValkey:
    """Counters, their generation and the gateways present in one."""

    def __init__(self) -> None:
        self.is_away = False
        self.generation = ""
        self.run_id = "run-1"
        self.stream: list[UsageEntry] = []
        self.reserved: list[tuple[UsageRequest, str]] = []
        self.refunded: list[Reservation] = []
        self.lost: list[UsageRequest] = []
        self.abandoned = 0
        self.opened: list[str] = []

    async def reserve(
        self,
        usage: UsageRequest,
        entitlements: Entitlements,
        seed: Seed | None = None,
        generation: str = "",
    ) -> Decision:
        del entitlements, seed
        if self.is_away:
            self.lost.append(usage)
        self._fail_while_away()
        await self.receive()
        self.reserved.append((usage, generation))
        outcome = "admitted" if generation == self.generation else "closed"
        await self.respond()
        return msgspec.structs.replace(decision(outcome), generation=generation)

    async def receive(self) -> None:
        """Begin a reservation; fakes of Valkey's failures override it."""

    async def respond(self) -> None:
        """Respond to a reservation that is counted; fakes of Valkey's failures override it."""

    async def refund(self, admission: Reservation) -> bool:
        self._fail_while_away()
        self.refunded.append(admission)
        return admission.generation == self.generation

    def abandon(self) -> None:
        self.abandoned += 1

    async def read(self) -> GenerationSnapshot:
        self._fail_while_away()
        return GenerationSnapshot(self.generation, self.run_id)

    async def close(self, next_generation: str) -> None:
        del next_generation
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


def usage(entry_id: str = "e1") -> UsageRequest:
    return UsageRequest(entry_id, "account-1", "key-1", "sponsor.search", 1)


async def admit_soon(quota: FailoverLimiter, access: FakeAccess) -> Reservation:
    """Admit a call, with the lease renewed beside it as `run` does."""
    admission = Quota(quota, access).admit(principal(), "sponsor.search", 1)
    task = asyncio.ensure_future(admission)
    while not (await asyncio.wait([task], timeout=0.001))[0]:
        await quota.refresh()
    return task.result()


def late_entry(lost: UsageRequest, access: FakeAccess) -> UsageEntry:
    """The entry in Valkey's stream of a call that was counted and whose answer was lost."""
    return UsageEntry(
        lost.entry_id, lost.account_id, lost.credential_id, lost.tool, access.now, lost.cost
    )


def counted(access: FakeAccess) -> int:
    return sum(entry.cost for entry in access.ledger.values())


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
    admitted = [await admit_soon(quota, access) for _ in range(5)]
    assert len(valkey.reserved) == reserved
    assert len(valkey.lost) == valkey.abandoned == 1
    assert {item.usage.entry_id for item in admitted} <= set(access.ledger)
    assert counted(access) == 5


async def test_usage_that_valkey_counted_before_is_reported_before_the_ledger_decides() -> None:
    valkey, access = FakeValkey(), FakeAccess(used=997)
    quota = await counting(valkey, access)
    for number in range(2):
        await quota.reserve(usage(f"before-{number}"), entitlements())
    valkey.is_away = True
    assert (await admit_soon(quota, access)).state.remaining == 0
    with pytest.raises(QuotaExceeded):
        await admit_soon(quota, access)


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
    await quota.reserve(usage("before"), entitlements())
    valkey.is_away = True
    admissions = [Quota(quota, access).admit(principal(), "t", 1) for _ in range(2)]
    calls = [asyncio.create_task(admission) for admission in admissions]
    for _ in range(5):
        await asyncio.sleep(0)
    renewing = asyncio.create_task(quota.refresh())
    for _ in range(5):
        await asyncio.sleep(0)
    assert not any(call.done() for call in calls)
    access.go.set()
    await renewing
    for call in calls:
        with pytest.raises(QuotaExceeded):
            await call


async def test_a_call_whose_response_was_lost_counts_once() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.is_away = True
    await admit_soon(quota, access)
    valkey.stream.append(late_entry(valkey.lost[0], access))
    valkey.is_away = False
    await quota.refresh()
    assert counted(access) == 1


async def test_a_call_whose_response_was_lost_is_undone_where_valkey_still_counts() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.is_away = True
    call = asyncio.create_task(quota.reserve(usage("lost"), entitlements()))
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
    with pytest.raises(QuotaExceeded):
        await admit_soon(quota, access)
    valkey.stream.append(late_entry(valkey.lost[0], access))
    valkey.is_away = False
    await quota.refresh()
    assert counted(access) == 0


class LosesOneResponse(FakeValkey):
    """Counts a call whose response is lost; the next ones are answered."""

    async def respond(self) -> None:
        if len(self.reserved) == 1:
            raise Unavailable("The answer was lost.")


async def test_a_call_is_made_again_only_under_counters_that_lack_the_lost_one() -> None:
    valkey, access = LosesOneResponse(), FakeAccess()
    quota = await counting(valkey, access)
    await admit_soon(quota, access)
    (_, lost_under), (_, made_under) = valkey.reserved
    assert made_under != lost_under
    assert made_under == valkey.generation


async def test_a_call_that_is_lost_while_the_lease_is_renewed_is_reported_before_counting_goes_on() -> (
    None
):
    valkey, access = LosesOneResponse(), SlowToRenew()
    quota = await counting(valkey, access)
    access.go.clear()
    access.renewing.clear()
    renewing = asyncio.create_task(quota.refresh())
    await access.renewing.wait()
    with pytest.raises(AdmissionUnknown):
        await quota.reserve(usage("lost"), entitlements())
    access.go.set()
    await renewing
    assert set(access.ledger) == {"lost", "lost:refund"}
    assert quota.is_counting
    assert len(valkey.opened) == 2


class SlowToRenew(FakeAccess):
    """Renews leases when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.renewing = asyncio.Event(), asyncio.Event()
        self.go.set()

    async def renew(self, report: LeaseReport) -> Authority:
        authority = await super().renew(report)
        self.renewing.set()
        await self.go.wait()
        return authority


async def test_calls_that_never_left_are_counted_under_their_own_ids() -> None:
    valkey, access = NeverSends(), FakeAccess()
    quota = await counting(valkey, access)
    assert (await quota.reserve(usage("waiting"), entitlements())).outcome == "admitted"
    await quota.refresh()
    assert [request.entry_id for request, _ in valkey.reserved] == ["waiting"]
    assert access.ledger == {}


class NeverSends(FakeValkey):
    """Abandons the first call before it leaves."""

    is_first = True

    async def receive(self) -> None:
        if self.is_first:
            self.is_first = False
            raise NotSent("away")


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
    await quota.reserve(usage(), entitlements())
    valkey.run_id = "run-2"
    await quota.refresh()
    assert valkey.opened[1].endswith(".run-2")
    assert set(access.ledger) == {"e1"}


async def test_calls_wait_while_the_counters_begin_anew() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.generation = "closed"
    call = asyncio.create_task(quota.reserve(usage(), entitlements()))
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
    assert (await late.reserve(usage(), entitlements())).outcome == "admitted"


async def test_without_the_ledger_counters_do_not_go_on_for_ever() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    await counting(valkey, access)
    access.error = Unavailable("away")
    quota = await counting(valkey, access, "gateway-2", alone=0)
    assert quota.is_cut_off
    with pytest.raises(Unavailable, match="cannot be counted now"):
        await quota.reserve(usage(), entitlements())


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
        await quota.reserve(usage(), entitlements())
    assert quota.is_cut_off
    assert not quota.is_failed_over
    assert (await other.reserve(usage(), entitlements())).outcome == "admitted"
    near.is_away = True
    await other.refresh()
    await quota.refresh()
    assert quota.is_failed_over


async def test_calls_that_a_promoted_standby_lacks_are_recorded_again() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    await quota.reserve(usage(), entitlements())
    access.leases.timeline_name = "2"
    await quota.refresh()
    assert set(access.ledger) == {"e1"}
    assert valkey.opened == ["0.run-1"]


async def test_a_report_to_a_promoted_standby_that_failed_is_made_again() -> None:
    valkey, access = FakeValkey(), RefusesOnce()
    quota = await counting(valkey, access)
    await quota.reserve(usage(), entitlements())
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
    admitted = await admit_soon(quota, access)
    access.ledger.clear()
    epoch, access.leases.timeline_name = access.epoch, "2"
    await quota.refresh()
    assert set(access.ledger) == {admitted.usage.entry_id}
    assert access.epoch != epoch
    assert quota.is_failed_over


async def test_the_grace_ends_and_valkeys_return_ends_the_refusals() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    valkey.is_away = True
    quota = await counting(valkey, access, grace=0)
    assert not quota.is_failed_over
    with pytest.raises(Unavailable, match="away for too long") as caught:
        await quota.reserve(usage(), entitlements())
    assert caught.value.retry_after
    valkey.is_away = False
    await quota.refresh()
    assert (await quota.reserve(usage(), entitlements())).outcome == "admitted"


async def test_a_refund_that_the_ledger_cannot_receive_is_reported_later() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    taken = await quota.reserve(usage(), entitlements())
    assert taken.state is not None
    valkey.is_away, access.error = True, Unavailable("away")
    await quota.refund(Reservation(usage(), taken.month, taken.at, taken.state, "", "0.run-1"))
    valkey.is_away, access.error = False, None
    await quota.refresh()
    assert sorted(access.ledger) == ["e1", "e1:refund"]


class CountsReports(SlowToRecord):
    """Counts the attempts to record."""

    attempts = 0

    async def record_usage(
        self, entries: Sequence[UsageEntry], generation: str | None = None
    ) -> None:
        self.attempts += 1
        await super().record_usage(entries, generation)


async def refunds(quota: FailoverLimiter, number: int) -> list[asyncio.Task[None]]:
    """Begin the refunds of so many calls that the ledger has admitted."""
    tasks: list[asyncio.Task[None]] = []
    for index in range(number):
        request = usage(f"e{index}")
        taken = await quota.reserve(request, entitlements())
        assert taken.state is not None
        refund = quota.refund(Reservation(request, taken.month, taken.at, taken.state))
        tasks.append(asyncio.create_task(refund))
        await asyncio.sleep(0)
    return tasks


async def test_refunds_that_wait_for_the_ledger_share_an_attempt() -> None:
    valkey, access = FakeValkey(), CountsReports(used=0)
    valkey.is_away = True
    quota = await counting(valkey, access, max_wait=60.0)
    waiting = await refunds(quota, 10)
    access.error = Unavailable("sick")
    access.go.set()
    await asyncio.gather(*waiting)
    assert access.attempts == 1
    access.error = None
    await quota.refresh()
    assert counted(access) == 0


async def test_refunds_do_not_wait_for_a_ledger_that_records_late() -> None:
    valkey, access = FakeValkey(), CountsReports(used=0)
    valkey.is_away = True
    quota = await counting(valkey, access, max_wait=0.01)
    async with asyncio.timeout(5):
        await asyncio.gather(*await refunds(quota, 3))
    access.go.set()
    await quota.refresh()
    assert counted(access) == 0


async def test_calls_wait_for_the_end_of_an_attempt_at_a_late_ledger() -> None:
    valkey, access = FakeValkey(), SlowToRenew()
    quota = await counting(valkey, access, max_wait=0.01, max_attempt=60.0)
    valkey.is_away = True
    access.go.clear()
    access.renewing.clear()
    call = asyncio.create_task(Quota(quota, access).admit(principal(), "sponsor.search", 1))
    await asyncio.sleep(0)
    renewing = asyncio.create_task(quota.refresh())
    await access.renewing.wait()
    done, _ = await asyncio.wait([call], timeout=0.05)
    assert not done
    access.go.set()
    await renewing
    assert (await call).state.remaining == 999


async def test_a_ledger_that_starts_after_the_gateway_is_no_news() -> None:
    valkey, access, turns = FakeValkey(), FakeAccess(), list[bool]()
    quota = reporting(valkey, access, turns)
    access.error = Unavailable("not up yet")
    await quota.refresh()
    await quota.refresh()
    assert not quota.is_failed_over
    access.error = None
    await quota.refresh()
    assert (await quota.reserve(usage(), entitlements())).outcome == "admitted"
    assert valkey.opened == ["0.run-1"]
    assert turns == []


async def test_a_call_before_the_ledger_is_up_has_to_come_again() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    access.error = Unavailable("not up yet")
    quota = await counting(valkey, access)
    with pytest.raises(Unavailable, match="cannot be counted now"):
        await quota.reserve(usage(), entitlements())
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
    await quota.reserve(usage(), entitlements())
    await quota.end()
    assert access.leases.rows == {}
    assert set(access.ledger) == {"e1"}


async def test_what_waits_in_the_stream_is_in_the_ledger_before_counters_begin_anew() -> None:
    """Its gateway may be gone, and nobody else remembers it."""
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.stream.append(UsageEntry("waiting", "account-1", "key-1", "t", access.now, 1))
    valkey.generation = ""
    await quota.refresh()
    assert len(valkey.opened) == 2
    assert set(access.ledger) == {"waiting"}


class SlowToRespond(FakeValkey):
    """Counts at once, and answers when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.counted, self.go = asyncio.Event(), asyncio.Event()

    async def respond(self) -> None:
        self.counted.set()
        await self.go.wait()


async def test_an_epoch_ends_only_after_the_calls_under_way_are_reported() -> None:
    valkey, access = SlowToRespond(), FakeAccess()
    quota = await counting(valkey, access)
    call = asyncio.create_task(quota.reserve(usage(), entitlements()))
    await valkey.counted.wait()
    valkey.generation = ""
    renewing = asyncio.create_task(quota.refresh())
    await asyncio.wait([renewing], timeout=0.05)
    assert len(valkey.opened) == 1
    valkey.go.set()
    assert (await call).outcome == "admitted"
    await renewing
    assert set(access.ledger) == {"e1"}
    assert len(valkey.opened) == 2
