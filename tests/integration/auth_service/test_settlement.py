"""Counter and ledger that differ are made equal in the caller's favour, and nothing else is changed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from auth_service.domain import reconciliation
from auth_service.domain.reconciliation import REFUND_GRACE, Month
from auth_service.domain.settlement import ActiveMonths, SettledDifference, Settlement
from auth_service.domain.usage import UsageEntry
from auth_service.storage.counters import ValkeyCounters
from auth_service.storage.settlement_job import settled
from protos.auth.v1 import auth_pb2 as pb
from servicekit.concurrency.background import in_background
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import principal
from tests.integration.auth_service import test_reconciliation
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.test_reconciliation import CountingGateway, now

gateway = test_reconciliation.gateway
ACCOUNT: Final = "account"
NAME: Final = "sponsorgraph_ledger_settled_calls_total"


def settlement_of(gateway: CountingGateway, *account_ids: str) -> Settlement:
    """Return a settlement that has heard of calls of these accounts."""
    active = ActiveMonths(now)
    active.add([UsageEntry(f"of-{name}", name, "key", "tool", now(), 1) for name in account_ids])
    return Settlement(gateway.reconciliation, active)


def calls_of(higher: str) -> float:
    """Return the metric of calls that were taken from the higher one of both."""
    return REGISTRY.get_sample_value(NAME, {"higher": higher}) or 0


async def calls(gateway: CountingGateway, number: int, account_id: str = ACCOUNT) -> None:
    for _ in range(number):
        await gateway.call(account_id)
    await gateway.carry()


def lose(gateway: CountingGateway, number: int) -> None:
    """Have the ledger lack the last calls, as a standby does that was behind."""
    lost = "SELECT entry_id FROM usage_entries ORDER BY admitted_at DESC LIMIT %s"
    gateway.execute(f"DELETE FROM usage_entries WHERE entry_id IN ({lost})", number)
    gateway.execute("UPDATE usage_daily SET requests = requests - %s", number)


async def counter(gateway: CountingGateway, account_id: str = ACCOUNT) -> int:
    return int(await gateway.valkey.get(await test_reconciliation.counter_of(gateway, account_id)))


async def ledger(gateway: CountingGateway, account_id: str = ACCOUNT) -> tuple[int, int]:
    """Return the account's requests by sums of days and by entries."""
    months = [Month(account_id, f"{now():%Y-%m}")]
    store = gateway.reconciliation.store
    sums, used = await store.sums(months), await store.used(months)
    return sums.get(months[0], 0), used.get(months[0], 0)


async def test_calls_that_the_ledger_lost_are_taken_from_the_counter(
    gateway: CountingGateway,
) -> None:
    await calls(gateway, 5)
    lose(gateway, 3)
    settlement, before = settlement_of(gateway, ACCOUNT), calls_of("counter")
    assert await settled(settlement) == []
    assert await counter(gateway) == 5
    with capture_logs() as lines:
        (found,) = await settled(settlement)
    assert (found.difference.ledger, found.difference.other, found.calls) == (2, 5, 3)
    assert await counter(gateway) == 2
    assert await ledger(gateway) == (2, 2)
    assert calls_of("counter") == before + 3
    (line,) = [line for line in lines if line["event"] == "ledger_settled"]
    assert (line["account_id"], line["by_ledger"], line["by_counter"], line["calls"]) == (
        ACCOUNT,
        2,
        5,
        3,
    )
    assert await settled(settlement) == []
    assert (await gateway.compare()).differences == ()


async def test_calls_that_the_counter_lost_are_taken_back_in_the_ledger(
    gateway: CountingGateway,
) -> None:
    await calls(gateway, 5)
    await gateway.call(ACCOUNT, fails=True)
    await gateway.carry()
    await gateway.valkey.decrby(await test_reconciliation.counter_of(gateway, ACCOUNT), 2)
    settlement, before = settlement_of(gateway, ACCOUNT), calls_of("ledger")
    await settled(settlement)
    (found,) = await settled(settlement)
    assert (found.difference.ledger, found.difference.other, found.calls) == (5, 3, 2)
    assert await counter(gateway) == 3
    assert await ledger(gateway) == (3, 3)
    assert calls_of("ledger") == before + 2
    assert (await gateway.compare()).differences == ()


@pytest.mark.parametrize("others_have_ended", [True, False])
async def test_a_call_that_fails_after_a_settlement_makes_no_second_call_free(
    gateway: CountingGateway,
    others_have_ended: bool,  # noqa: FBT001 - a parameter
) -> None:
    """One of five calls fails, and the counter has lost one: three are charged."""
    await calls(gateway, 4)
    between = now()
    caller = principal(account_id=ACCOUNT, monthly_requests=1_000, burst_requests=1_000)
    under_way = await gateway.quota.admit(caller, "sponsor.search", 1)
    await gateway.carry()
    await gateway.valkey.decrby(await test_reconciliation.counter_of(gateway, ACCOUNT), 1)
    clock = between + REFUND_GRACE if others_have_ended else between
    gateway.reconciliation = replace(gateway.reconciliation, clock=lambda: clock)
    settlement = settlement_of(gateway, ACCOUNT)
    await settled(settlement)
    assert [item.calls for item in await settled(settlement)] == [1]
    assert (await counter(gateway), await ledger(gateway)) == (4, (4, 4))

    await gateway.quota.refund(under_way)
    await gateway.carry()
    assert await settled(settlement) == []
    again = [item.calls for item in await settled(settlement)]
    # Without an ended call the one under way was refunded: its own refund changes nothing then.
    assert again == ([] if others_have_ended else [1])
    assert (await counter(gateway), await ledger(gateway)) == (3, (3, 3))


async def test_a_difference_that_is_gone_at_the_second_look_is_not_settled(
    gateway: CountingGateway,
) -> None:
    await calls(gateway, 3)
    name = await test_reconciliation.counter_of(gateway, ACCOUNT)
    settlement = settlement_of(gateway, ACCOUNT)
    await gateway.valkey.incrby(name, 4)
    await settled(settlement)
    await gateway.valkey.decrby(name, 4)
    assert await settled(settlement) == []
    await gateway.valkey.incrby(name, 6)
    assert await settled(settlement) == []
    await gateway.valkey.decrby(name, 5)
    (found,) = await settled(settlement)
    assert found.calls == 1
    assert await counter(gateway) == 3


class SlowCounters(ValkeyCounters):
    """Lowers a counter when it is let go."""

    def __init__(self, valkey: Any) -> None:
        super().__init__(valkey)
        self.reached, self.go = asyncio.Event(), asyncio.Event()

    async def lower(self, epoch: str, month: Month, calls: int) -> bool:
        self.reached.set()
        await self.go.wait()
        return await super().lower(epoch, month, calls)


async def test_two_services_settle_a_difference_once(gateway: CountingGateway) -> None:
    await calls(gateway, 9)
    lose(gateway, 4)
    counters = SlowCounters(gateway.valkey)
    second = settlement_of(gateway, ACCOUNT)
    gateway.reconciliation = replace(gateway.reconciliation, counters=counters)
    first = settlement_of(gateway, ACCOUNT)
    assert [await first.settle(), await second.settle()] == [[], []]
    slow = asyncio.create_task(first.settle())
    await counters.reached.wait()
    waiting = asyncio.create_task(second.settle())
    await asyncio.wait([waiting], timeout=0.3)
    counters.go.set()
    assert [item.calls for item in await slow] == [4]
    assert await waiting == []
    assert await counter(gateway) == 5
    assert await ledger(gateway) == (5, 5)


async def settled_at_last(settlement: Settlement) -> list[SettledDifference]:
    """Settle again and again until something is settled, as the service does.

    Where the machine is busy, Valkey or the ledger may be too slow for a comparison, which then counts for nothing.
    """
    async with asyncio.timeout(60):
        while True:
            with suppress(Unavailable):
                if found := await settlement.settle():
                    return list(found)


async def test_nothing_is_settled_while_calls_are_under_way_but_what_differs(
    gateway: CountingGateway,
) -> None:
    """Six callers, of which each fifth call fails, and the writer of the ledger; one account differs."""
    names = [f"account-{number}" for number in range(3)]
    await calls(gateway, 1, names[0])
    await gateway.valkey.incrby(await test_reconciliation.counter_of(gateway, names[0]), 7)
    settlement = settlement_of(gateway, *names)
    loops = [gateway.ledger.run(), *(gateway.call_on(names[number % 3]) for number in range(6))]
    async with AsyncExitStack() as stack:
        tasks = [await stack.enter_async_context(in_background(loop)) for loop in loops]
        found = await settled_at_last(settlement)
        for _ in range(15):
            with suppress(Unavailable):
                found += await settlement.settle()
        assert [task for task in tasks if task.done()] == []
    assert [(item.difference.account_id, item.calls) for item in found] == [(names[0], 7)]
    await gateway.carry()
    assert (await gateway.compare()).differences == ()


async def test_a_month_is_compared_for_some_minutes_after_its_last_call() -> None:
    at = now()
    active = ActiveMonths(lambda: at)
    active.add([UsageEntry("1", ACCOUNT, "key", "tool", at, 1)])
    at += timedelta(minutes=4)
    assert [month.account_id for month in active.recent()] == [ACCOUNT]
    at += timedelta(minutes=2)
    assert active.recent() == []


@pytest.mark.parametrize("state", ["bypassed", "emptied"])
async def test_without_counters_in_use_nothing_is_settled(
    gateway: CountingGateway, state: str
) -> None:
    await calls(gateway, 5)
    await gateway.stop_renewing()
    lose(gateway, 3)
    settlement = settlement_of(gateway, ACCOUNT)
    await settled(settlement)
    change: Callable[[], object] = {
        "bypassed": lambda: gateway.execute("UPDATE counter_state SET bypassed = true"),
        "emptied": lambda: gateway.execute("UPDATE counter_state SET epoch = 'another'"),
    }[state]
    change()
    assert await settled(settlement) == ()
    assert await counter_before(gateway) == 5


class HungCounters(ValkeyCounters):
    """Valkey hangs when the counters are read at one moment."""

    async def snapshot(self, epoch: str, months: Sequence[Month]) -> Any:
        del epoch, months
        await asyncio.Event().wait()


async def test_a_valkey_that_hangs_does_not_keep_calls_from_the_ledger(
    gateway: CountingGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    await calls(gateway, 5)
    lose(gateway, 3)
    monkeypatch.setattr(reconciliation, "_MAX_BLOCK_SECONDS", 0.05)
    counters = HungCounters(gateway.valkey)
    gateway.reconciliation = replace(gateway.reconciliation, counters=counters)
    async with asyncio.timeout(10):
        assert await settlement_of(gateway, ACCOUNT).settle() == ()
        await calls(gateway, 1)
    assert await ledger(gateway) == (3, 3)


async def counter_before(gateway: CountingGateway) -> int:
    (key,) = [key async for key in gateway.valkey.scan_iter("sponsorgraph:{quota}:month:*")]
    return int(await gateway.valkey.get(key))


async def test_calls_that_only_a_gateway_remembered_are_in_a_metric(service: Service) -> None:
    name = "sponsorgraph_ledger_recovered_calls_total"
    before = REGISTRY.get_sample_value(name) or 0
    account, at = secrets.token_hex(8), now().isoformat()
    for epoch, number in (("e1", 1), ("e1", 1), ("", 2), (None, 3)):
        entry = pb.UsageEntry(
            entry_id=f"{account}-{number}",
            account_id=account,
            credential_id="key",
            tool="tool",
            admitted_at=at,
            cost=1,
        )
        request = pb.RecordUsageRequest(entries=[entry], epoch=epoch)
        await service.call(service.access.RecordUsage, request)
    assert (REGISTRY.get_sample_value(name) or 0) - before == 1
