"""Who counts when, over fakes of Valkey and the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gateway.authentication.principal import Entitlements
from gateway.quota.counters import GenerationSnapshot
from gateway.quota.failover import FailoverLimiter, FailoverPolicy
from gateway.quota.models import Decision, Reservation, Seed, UsageEntry, UsageRequest
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import FakeAccess, entitlements, verdict


class FakeValkey:
    """Counters and their memory in one."""

    def __init__(self) -> None:
        self.is_away = False
        self.lineage: str | None = None
        self.run_id = "run-1"
        self.stream: list[UsageEntry] = []
        self.taken: list[tuple[UsageRequest, str]] = []
        self.given_back: list[Reservation] = []
        self.abandoned = 0
        self.opened: list[str] = []

    async def take(
        self,
        charge: UsageRequest,
        entitlements: Entitlements,
        seed: Seed | None = None,
        lineage: str = "",
    ) -> Decision:
        del entitlements, seed
        self._answers()
        self.taken.append((charge, lineage))
        if lineage != self.lineage:
            return replace(verdict("closed"), lineage=lineage)
        return verdict("admitted")

    async def refund(self, admission: Reservation) -> bool:
        self._answers()
        self.given_back.append(admission)
        return admission.lineage == self.lineage

    def abandon(self) -> None:
        self.abandoned += 1

    async def look(self) -> GenerationSnapshot:
        self._answers()
        return GenerationSnapshot(self.lineage, self.run_id)

    async def close(self, token: str) -> bool:
        self._answers()
        self.lineage = f"closed:{token}"
        return True

    async def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        self._answers()
        if self.stream:
            yield self.stream

    async def open(self, token: str, lineage: str) -> bool:
        self._answers()
        is_mine = self.lineage == f"closed:{token}"
        if is_mine:
            self.lineage = lineage
            self.opened.append(lineage)
        return is_mine

    def _answers(self) -> None:
        if self.is_away:
            raise Unavailable("away")


def charge(entry_id: str = "e1") -> UsageRequest:
    return UsageRequest(entry_id, "account-1", "key-1", "sponsor.search", 1)


def made(valkey: FakeValkey, access: FakeAccess, **changes: Any) -> FailoverLimiter:
    return FailoverLimiter(valkey, valkey, access, FailoverPolicy(compare=0, **changes))


async def counting(valkey: FakeValkey, access: FakeAccess, **changes: Any) -> FailoverLimiter:
    quota = made(valkey, access, **changes)
    await quota.look()
    return quota


def telling(
    valkey: FakeValkey, access: FakeAccess, turns: list[bool], policy: FailoverPolicy | None = None
) -> FailoverLimiter:
    """Notes in `turns` of each turn whether the ledger counts from then on."""
    return FailoverLimiter(
        valkey, valkey, access, policy, turned=lambda by_ledger, _why: turns.append(by_ledger)
    )


async def test_the_first_gateway_opens_the_counters_and_the_next_finds_them() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    await counting(valkey, access)
    await counting(valkey, access)
    assert valkey.opened == ["0.run-1"]
    assert access.epoch == "0"


async def test_while_valkey_is_away_only_the_first_call_asks_it() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    asked = len(valkey.taken)
    valkey.is_away = True
    for number in range(5):
        assert (await quota.take(charge(f"e{number}"), entitlements())).outcome == "admitted"
    assert len(valkey.taken) == asked
    assert valkey.abandoned == 1
    assert set(access.ledger) == {f"e{number}" for number in range(5)}


async def test_what_valkey_counted_before_is_told_before_the_ledger_decides() -> None:
    valkey, access = FakeValkey(), FakeAccess(used=997)
    quota = await counting(valkey, access)
    for number in range(2):
        await quota.take(charge(f"before-{number}"), entitlements())
    valkey.is_away = True
    found = [await quota.take(charge(f"after-{number}"), entitlements()) for number in range(2)]
    assert [item.outcome for item in found] == ["admitted", "quota_exceeded"]


class SlowToRecord(FakeAccess):
    """Records when it is let go."""

    def __init__(self, used: int) -> None:
        super().__init__(used=used)
        self.go = asyncio.Event()

    async def record_usage(self, entries: Sequence[UsageEntry], lineage: str | None = None) -> None:
        await self.go.wait()
        await super().record_usage(entries, lineage)


async def test_nobody_is_admitted_while_the_ledger_is_being_told() -> None:
    valkey, access = FakeValkey(), SlowToRecord(used=999)
    quota = await counting(valkey, access)
    await quota.take(charge("before"), entitlements())
    valkey.is_away = True
    calls = [asyncio.create_task(quota.take(charge(f"e{n}"), entitlements())) for n in range(2)]
    for _ in range(5):
        await asyncio.sleep(0)
    access.go.set()
    assert [(await call).outcome for call in calls] == ["quota_exceeded"] * 2


async def test_a_call_whose_answer_was_lost_counts_once() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.is_away = True
    await quota.take(charge("lost"), entitlements())
    valkey.stream.append(UsageEntry("lost", "account-1", "key-1", "t", access.now, 1))
    valkey.is_away = False
    await quota.look()
    assert sum(entry.cost for entry in access.ledger.values()) == 1


async def test_a_refused_call_whose_answer_was_lost_counts_for_nothing() -> None:
    valkey, access = FakeValkey(), FakeAccess(used=1000)
    quota = await counting(valkey, access)
    valkey.is_away = True
    assert (await quota.take(charge("lost"), entitlements())).outcome == "quota_exceeded"
    valkey.stream.append(UsageEntry("lost", "account-1", "key-1", "t", access.now, 1))
    valkey.is_away = False
    await quota.look()
    assert sum(entry.cost for entry in access.ledger.values()) == 0


async def test_counters_that_the_ledger_went_past_begin_anew() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.is_away = True
    await quota.take(charge(), entitlements())
    assert access.bypassed
    valkey.is_away = False
    await quota.look()
    assert len(valkey.opened) == 2
    assert not access.bypassed
    assert valkey.opened[1] == f"{access.epoch}.run-1"


async def test_an_outage_in_which_nobody_called_changes_nothing() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.is_away = True
    await quota.look()
    valkey.is_away = False
    await quota.look()
    assert valkey.opened == ["0.run-1"]


async def test_another_run_of_valkey_is_not_believed() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    await quota.take(charge(), entitlements())
    valkey.run_id = "run-2"
    await quota.look()
    assert valkey.opened[1].endswith(".run-2")
    assert set(access.ledger) == {"e1"}


async def test_calls_wait_while_the_counters_begin_anew() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    valkey.lineage = "closed:by another"
    call = asyncio.create_task(quota.take(charge(), entitlements()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not call.done()
    await quota.look()
    assert (await call).outcome == "admitted"
    assert access.ledger == {}


async def test_without_the_ledger_open_counters_go_on() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    await counting(valkey, access)
    access.error = Unavailable("away")
    late = await counting(valkey, access)
    assert (await late.take(charge(), entitlements())).outcome == "admitted"


async def test_the_grace_ends_and_valkeys_return_ends_the_refusals() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    valkey.is_away = True
    quota = await counting(valkey, access, grace=0)
    assert not quota.is_failed_over
    with pytest.raises(Unavailable, match="away for too long") as caught:
        await quota.take(charge(), entitlements())
    assert caught.value.retry_after
    valkey.is_away = False
    await quota.look()
    assert (await quota.take(charge(), entitlements())).outcome == "admitted"


async def test_a_refund_that_the_ledger_cannot_hear_is_told_later() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    quota = await counting(valkey, access)
    taken = await quota.take(charge(), entitlements())
    assert taken.state is not None
    valkey.is_away, access.error = True, Unavailable("away")
    await quota.refund(Reservation(charge(), taken.month, taken.at, taken.state, "", "0.run-1"))
    valkey.is_away, access.error = False, None
    await quota.look()
    assert sorted(access.ledger) == ["e1", "e1:refund"]


async def test_a_ledger_that_starts_after_the_gateway_is_no_news() -> None:
    valkey, access, turns = FakeValkey(), FakeAccess(), list[bool]()
    quota = telling(valkey, access, turns)
    access.error = Unavailable("not up yet")
    await quota.look()
    await quota.look()
    assert not quota.is_failed_over
    access.error = None
    await quota.look()
    assert (await quota.take(charge(), entitlements())).outcome == "admitted"
    assert valkey.opened == ["0.run-1"]
    assert turns == []


async def test_a_call_before_the_ledger_is_up_is_told_to_come_again() -> None:
    valkey, access = FakeValkey(), FakeAccess()
    access.error = Unavailable("not up yet")
    quota = await counting(valkey, access)
    with pytest.raises(Unavailable, match="cannot be counted now"):
        await quota.take(charge(), entitlements())


async def test_a_ledger_that_stays_away_after_the_start_is_told() -> None:
    valkey, access, turns = FakeValkey(), FakeAccess(), list[bool]()
    quota = telling(valkey, access, turns, FailoverPolicy(starting=0))
    access.error = Unavailable("away")
    await quota.look()
    assert turns == [True]


async def test_a_ledger_that_is_away_later_is_told_at_once() -> None:
    valkey, access, turns = FakeValkey(), FakeAccess(), list[bool]()
    quota = telling(valkey, access, turns)
    await quota.look()
    valkey.run_id, access.error = "run-2", Unavailable("away")
    await quota.look()
    assert turns == [True]


async def test_turns_are_told_once_each() -> None:
    valkey, access, turns = FakeValkey(), FakeAccess(), list[bool]()
    quota = telling(valkey, access, turns)
    await quota.look()
    for is_away in (True, True, False, False, True):
        valkey.is_away = is_away
        await quota.look()
    assert turns == [True, False, True]
