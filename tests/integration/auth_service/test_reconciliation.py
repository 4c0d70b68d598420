"""Ledger, daily sums and counters are compared exactly during calls."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from auth_service import MIGRATIONS
from auth_service.domain.reconciliation import Comparison, Difference, Month, Reconciliation
from auth_service.storage.counters import ValkeyCounters, counter_key
from auth_service.storage.reconciliation import PostgresReconciliationStore
from auth_service.storage.reconciliation_job import LEDGER_COMPARED, LEDGER_DIFFERENCES, compared
from gateway.quota.failover import FailoverLimiter
from gateway.quota.limiter import Quota
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.quota.valkey_generation import ValkeyGenerationStore
from gateway.quota.valkey_ledger_writer import LedgerPace, LedgerWriter
from gateway.storage import valkey as gateway_keys
from gateway.storage.valkey_client import open_valkey
from protos.auth.v1 import auth_pb2 as pb
from servicekit.concurrency.background import in_background
from servicekit.database_url import driver_url
from servicekit.errors import PermissionDenied, Unavailable
from servicekit.migration.command import migrate
from tests.fakes.gateway_ports import principal
from tests.fakes.ledger_access import LedgerAccess
from tests.integration.auth_service.conftest import Service

PACE: Final = LedgerPace(batch=20, wait_seconds=0.01, retry_seconds=0.01, gather_seconds=0)
ROUNDS: Final = 6


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class CountingGateway:
    """A gateway's quota on its own Postgres and Valkey, with the reconciliation."""

    url: str
    valkey: Any
    quota: Quota
    store: FailoverLimiter
    ledger: LedgerWriter
    reconciliation: Reconciliation
    renewing: asyncio.Task[None]

    async def call(self, account_id: str, *, fails: bool = False) -> None:
        caller = principal(
            account_id=account_id, monthly_requests=10_000_000, burst_requests=10_000_000
        )
        admission = await self.quota.admit(caller, "sponsor.search", 1)
        if fails:
            await self.quota.refund(admission)

    async def call_on(self, account_id: str) -> None:
        """Call endlessly; every fifth call fails. A call that a busy machine could not count is made again."""
        number = 0
        while True:
            number += 1
            with suppress(Unavailable):
                await self.call(account_id, fails=number % 5 == 0)

    async def carry(self) -> None:
        await self.ledger.open()
        while await self.valkey.xlen(gateway_keys.USAGE_STREAM):
            await self.ledger.carry()

    async def stop_renewing(self) -> None:
        while not self.renewing.done():
            self.renewing.cancel()
            await asyncio.wait([self.renewing], timeout=0.1)

    async def compare(self) -> Comparison:
        return await self.reconciliation.compare()

    def execute(self, statement: str, *values: Any) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement.encode(), values or None)


@pytest.fixture
async def gateway(
    fresh_database: Callable[[], str], fresh_valkey: str
) -> AsyncGenerator[CountingGateway]:
    url = fresh_database()
    await asyncio.to_thread(migrate, url, MIGRATIONS)
    engine = create_async_engine(driver_url(url))
    valkey: Any = open_valkey(fresh_valkey, timeout=30)
    access = LedgerAccess(engine, now)
    counters, generations = ValkeyQuota(valkey), ValkeyGenerationStore(valkey)
    store = FailoverLimiter("gateway-1", counters, generations, access)
    try:
        async with in_background(store.run()) as renewing:
            yield CountingGateway(
                url,
                valkey,
                Quota(store, access),
                store,
                LedgerWriter(valkey, access, PACE),
                Reconciliation(
                    PostgresReconciliationStore(engine), ValkeyCounters(valkey), now, 45
                ),
                renewing,
            )
    finally:
        await valkey.aclose()
        await engine.dispose()


async def test_nothing_differs_however_many_calls_are_under_way(gateway: CountingGateway) -> None:
    async with AsyncExitStack() as stack:
        calling = [gateway.call_on(f"account-{n % 3}") for n in range(6)]
        tasks = [
            await stack.enter_async_context(in_background(loop))
            for loop in (gateway.ledger.run(), *calling)
        ]
        found = [await gateway.compare() for _ in range(ROUNDS)]
        assert await gateway.valkey.exists(await counter_of(gateway, "account-1"))
        assert [task for task in tasks if task.done()] == []
    assert [(item.differences, item.counters_skipped) for item in found] == [((), "")] * ROUNDS


async def counter_of(gateway: CountingGateway, account_id: str) -> str:
    counting = await gateway.reconciliation.store.counter_state()
    return counter_key(counting.epoch, Month(account_id, f"{now():%Y-%m}"))


async def test_a_counter_that_went_astray_is_found_though_calls_wait_for_the_ledger(
    gateway: CountingGateway,
) -> None:
    await gateway.call("astray")
    await gateway.call("other")
    await gateway.carry()
    await gateway.call("astray")
    await gateway.valkey.incrby(await counter_of(gateway, "astray"), 3)
    found = await gateway.compare()
    assert found.differences == (Difference("counters", "astray", f"{now():%Y-%m}", 2, 5),)


async def test_a_sum_that_is_not_that_of_its_entries_is_found(gateway: CountingGateway) -> None:
    for account in ("more", "less", "well"):
        await gateway.call(account)
    await gateway.carry()
    gateway.execute("UPDATE usage_daily SET requests = 9 WHERE account_id = 'more'")
    gateway.execute("DELETE FROM usage_daily WHERE account_id = 'less'")
    today = now().date().isoformat()
    # The counters are as the entries are: of them nothing is said.
    assert list((await gateway.compare()).differences) == [
        Difference("days", "less", today, 1, 0),
        Difference("days", "more", today, 1, 9),
    ]


async def test_a_counter_that_was_built_from_a_wrong_sum_is_found(gateway: CountingGateway) -> None:
    await gateway.call("account")
    await gateway.carry()
    gateway.execute("UPDATE usage_daily SET requests = requests + 7")
    await gateway.valkey.incrby(await counter_of(gateway, "account"), 7)
    found = [
        difference
        for difference in (await gateway.compare()).differences
        if difference.kind == "counters"
    ]
    assert found == [Difference("counters", "account", f"{now():%Y-%m}", 1, 8)]


async def test_a_month_of_which_entries_were_discarded_is_not_compared(
    gateway: CountingGateway,
) -> None:
    await gateway.call("account")
    await gateway.carry()
    epoch = (await gateway.reconciliation.store.counter_state()).epoch
    before = f"{now().date() - timedelta(days=62):%Y-%m}"
    await gateway.valkey.set(counter_key(epoch, Month("account", before)), 5)
    assert (await gateway.compare()).differences == ()


async def test_a_day_of_which_entries_were_discarded_is_not_compared(
    gateway: CountingGateway,
) -> None:
    add = "INSERT INTO usage_daily VALUES ('old', %s, 'tool', 'key', 7)"
    gateway.execute(add, now().date() - timedelta(days=45))
    assert (await gateway.compare()).differences == ()
    gateway.execute(add, now().date() - timedelta(days=44))
    (found,) = (await gateway.compare()).differences
    assert (found.kind, found.ledger, found.other) == ("days", 0, 7)


async def test_a_refund_without_its_call_is_found_once_the_call_has_had_time_to_arrive(
    gateway: CountingGateway,
) -> None:
    for name, ago in (("lately", timedelta(minutes=1)), ("before", timedelta(hours=3))):
        at = now() - ago
        gateway.execute(
            "INSERT INTO usage_entries VALUES (%s, %s, 'key', 'tool', %s, -1)",
            f"{name}:refund", name, at,
        )  # fmt: skip
        gateway.execute(
            "INSERT INTO usage_daily VALUES (%s, %s, 'tool', 'key', -1)", name, at.date()
        )
    (found,) = (await gateway.compare()).differences
    assert (found.kind, found.account_id, found.other) == ("refunds", "before", -1)


async def test_counters_that_lack_calls_are_not_compared(gateway: CountingGateway) -> None:
    await gateway.call("account")
    # With its next renewal the gateway would begin counters that lack nothing.
    await gateway.stop_renewing()
    gateway.execute("UPDATE counter_state SET bypassed = true")
    await gateway.valkey.incrby(await counter_of(gateway, "account"), 3)
    found = await gateway.compare()
    assert found.differences == ()
    assert "lack" in found.counters_skipped


async def test_metrics_say_how_many_numbers_differ_and_when_they_were_compared(
    gateway: CountingGateway,
) -> None:
    await gateway.call("account")
    await gateway.carry()
    gateway.execute("UPDATE usage_daily SET requests = 9")
    found = await compared(gateway.reconciliation)
    assert LEDGER_DIFFERENCES.labels("days")._value.get() == 1
    assert LEDGER_COMPARED.labels("days")._value.get() == found.at.timestamp()
    gateway.execute("UPDATE usage_daily SET requests = 1")
    await compared(gateway.reconciliation)
    assert LEDGER_DIFFERENCES.labels("days")._value.get() == 0


@pytest.mark.parametrize(("epoch", "part"), [("0", ""), ("af01", "af01:")])
def test_counters_have_the_names_that_the_gateways_give_them(epoch: str, part: str) -> None:
    """Gateways of another version of this one count in them too."""
    expected = f"sponsorgraph:{{quota}}:month:{part}acc_1:2026-11"
    assert counter_key(epoch, Month("acc_1", "2026-11")) == expected


async def test_operators_alone_have_the_numbers_compared(service: Service) -> None:
    account = secrets.token_hex(8)
    today = date.today()  # noqa: DTZ011 - any day of those that are compared
    with psycopg.connect(service.settings.database_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO usage_daily VALUES (%s, %s, 'tool', 'key', 7)", (account, today)
        )
    method, request = service.operations.CompareUsage, pb.CompareUsageRequest()
    with pytest.raises(PermissionDenied):
        await service.operate(method, request, token="wrong")
    found = await service.operate(method, request)
    (difference,) = [
        difference for difference in found.differences if difference.account_id == account
    ]
    assert (difference.kind, difference.period, difference.ledger, difference.other) == (
        "days",
        today.isoformat(),
        0,
        7,
    )
