"""Ledger, sums of days and counters are compared exactly while calls go on."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from auth_service import MIGRATIONS
from auth_service.domain.reconciliation import Comparison, Difference, Month, Reconciliation
from auth_service.storage.counters import ValkeyCounters, counter_key
from auth_service.storage.reconciliation import PostgresBooks
from auth_service.storage.reconciliation_job import LEDGER_COMPARED, LEDGER_DIFFERENCES, compared
from gateway.quota.failover import FailoverLimiter
from gateway.quota.limiter import Quota
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.quota.valkey_generation import ValkeyGenerationStore
from gateway.quota.valkey_ledger_writer import LedgerPace, LedgerWriter
from gateway.storage import valkey as gateway_keys
from gateway.storage.background import in_background
from protos.auth.v1 import auth_pb2 as pb
from servicekit import database
from servicekit.errors import PermissionDenied
from tests.fakes.gateway_ports import principal
from tests.fakes.ledger_access import LedgerAccess
from tests.integration.auth_service.conftest import Service

PACE: Final = LedgerPace(batch=20, wait_seconds=0.01, retry_seconds=0.01, gather_seconds=0)
ROUNDS: Final = 6


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Place:
    """A gateway's counting on engines of its own, and the comparison of what it leaves."""

    url: str
    valkey: Any
    quota: Quota
    store: FailoverLimiter
    ledger: LedgerWriter
    reconciliation: Reconciliation

    async def call(self, account_id: str, *, fails: bool = False) -> None:
        caller = principal(
            account_id=account_id, monthly_requests=10_000_000, burst_requests=10_000_000
        )
        admission = await self.quota.admit(caller, "sponsor.search", 1)
        if fails:
            await self.quota.refund(admission)

    async def call_on(self, account_id: str) -> None:
        """Calls without end, of which every fifth fails."""
        number = 0
        while True:
            number += 1
            await self.call(account_id, fails=number % 5 == 0)

    async def carry(self) -> None:
        await self.ledger.open()
        while await self.valkey.xlen(gateway_keys.USAGE_STREAM):
            await self.ledger.carry()

    async def compare(self) -> Comparison:
        return await self.reconciliation.compare()

    def execute(self, statement: str, *values: Any) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement.encode(), values or None)


@pytest.fixture
async def place(fresh_database: Callable[[], str], fresh_valkey: str) -> AsyncGenerator[Place]:
    url = fresh_database()
    await asyncio.to_thread(database.migrate, url, MIGRATIONS)
    engine = create_async_engine(database.driver_url(url))
    valkey: Any = gateway_keys.open_valkey(fresh_valkey, timeout=5)
    access = LedgerAccess(engine, now)
    counters, generations = ValkeyQuota(valkey), ValkeyGenerationStore(valkey)
    store = FailoverLimiter("gateway-1", counters, generations, access)
    try:
        async with in_background(store.run()):
            yield Place(
                url,
                valkey,
                Quota(store, access),
                store,
                LedgerWriter(valkey, access, PACE),
                Reconciliation(PostgresBooks(engine), ValkeyCounters(valkey), now, 45),
            )
    finally:
        await valkey.aclose()
        await engine.dispose()


async def test_nothing_differs_however_many_calls_are_under_way(place: Place) -> None:
    async with AsyncExitStack() as stack:
        calling = [place.call_on(f"account-{n % 3}") for n in range(6)]
        tasks = [
            await stack.enter_async_context(in_background(loop))
            for loop in (place.ledger.run(), *calling)
        ]
        found = [await place.compare() for _ in range(ROUNDS)]
        assert await place.valkey.exists(await _counter(place, "account-1"))
        assert [task for task in tasks if task.done()] == []
    assert [(item.differences, item.counters_skipped) for item in found] == [((), "")] * ROUNDS


async def _counter(place: Place, account_id: str) -> str:
    counting = await place.reconciliation.books.counting()
    return counter_key(counting.epoch, Month(account_id, f"{now():%Y-%m}"))


async def test_a_counter_that_went_astray_is_found_though_calls_wait_for_the_ledger(
    place: Place,
) -> None:
    await place.call("astray")
    await place.call("other")
    await place.carry()
    await place.call("astray")
    await place.valkey.incrby(await _counter(place, "astray"), 3)
    found = await place.compare()
    assert found.differences == (Difference("counters", "astray", f"{now():%Y-%m}", 2, 5),)


async def test_a_sum_that_is_not_that_of_its_entries_is_found(place: Place) -> None:
    for account in ("more", "less", "well"):
        await place.call(account)
    await place.carry()
    place.execute("UPDATE usage_daily SET requests = 9 WHERE account_id = 'more'")
    place.execute("DELETE FROM usage_daily WHERE account_id = 'less'")
    today = now().date().isoformat()
    # The counters are as the entries are: of them nothing is said.
    assert list((await place.compare()).differences) == [
        Difference("days", "less", today, 1, 0),
        Difference("days", "more", today, 1, 9),
    ]


async def test_a_counter_that_was_built_from_a_wrong_sum_is_found(place: Place) -> None:
    await place.call("account")
    await place.carry()
    place.execute("UPDATE usage_daily SET requests = requests + 7")
    await place.valkey.incrby(await _counter(place, "account"), 7)
    found = [
        difference
        for difference in (await place.compare()).differences
        if difference.kind == "counters"
    ]
    assert found == [Difference("counters", "account", f"{now():%Y-%m}", 1, 8)]


async def test_a_month_of_which_entries_were_discarded_is_not_compared(place: Place) -> None:
    await place.call("account")
    await place.carry()
    epoch = (await place.reconciliation.books.counting()).epoch
    before = f"{now().date() - timedelta(days=62):%Y-%m}"
    await place.valkey.set(counter_key(epoch, Month("account", before)), 5)
    assert (await place.compare()).differences == ()


async def test_a_day_of_which_entries_were_discarded_is_not_compared(place: Place) -> None:
    add = "INSERT INTO usage_daily VALUES ('old', %s, 'tool', 'key', 7)"
    place.execute(add, now().date() - timedelta(days=45))
    assert (await place.compare()).differences == ()
    place.execute(add, now().date() - timedelta(days=44))
    (found,) = (await place.compare()).differences
    assert (found.kind, found.ledger, found.other) == ("days", 0, 7)


async def test_what_takes_back_a_call_of_none_is_found_once_it_has_had_time_to_come(
    place: Place,
) -> None:
    for name, ago in (("lately", timedelta(minutes=1)), ("before", timedelta(hours=3))):
        at = now() - ago
        place.execute(
            "INSERT INTO usage_entries VALUES (%s, %s, 'key', 'tool', %s, -1)",
            f"{name}:refund", name, at,
        )  # fmt: skip
        place.execute("INSERT INTO usage_daily VALUES (%s, %s, 'tool', 'key', -1)", name, at.date())
    (found,) = (await place.compare()).differences
    assert (found.kind, found.account_id, found.other) == ("refunds", "before", -1)


async def test_counters_that_lack_calls_are_not_compared(place: Place) -> None:
    await place.call("account")
    place.execute("UPDATE counting SET bypassed = true")
    await place.valkey.incrby(await _counter(place, "account"), 3)
    found = await place.compare()
    assert found.differences == ()
    assert "lack" in found.counters_skipped


async def test_metrics_say_how_many_numbers_differ_and_when_they_were_compared(
    place: Place,
) -> None:
    await place.call("account")
    await place.carry()
    place.execute("UPDATE usage_daily SET requests = 9")
    found = await compared(place.reconciliation)
    assert LEDGER_DIFFERENCES.labels("days")._value.get() == 1
    assert LEDGER_COMPARED.labels("days")._value.get() == found.at.timestamp()
    place.execute("UPDATE usage_daily SET requests = 1")
    await compared(place.reconciliation)
    assert LEDGER_DIFFERENCES.labels("days")._value.get() == 0


@pytest.mark.parametrize("epoch", ["0", "af01"])
def test_counters_have_the_names_that_the_gateways_give_them(epoch: str) -> None:
    given = gateway_keys.counter_key("acc_1", "2026-11", epoch)
    assert counter_key(epoch, Month("acc_1", "2026-11")) == given


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
    (own,) = [difference for difference in found.differences if difference.account_id == account]
    assert (own.kind, own.period, own.ledger, own.other) == ("days", today.isoformat(), 0, 7)
