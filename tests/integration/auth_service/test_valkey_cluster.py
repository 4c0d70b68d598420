"""The auth service's own uses of a Valkey cluster: limits, the comparison of counters and ledger, metrics."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from auth_service import MIGRATIONS
from auth_service.domain.reconciliation import Month, Reconciliation
from auth_service.storage.backup_age import KEY, LAST_BACKUP, measure_backup
from auth_service.storage.cluster_counters import ClusterCounters
from auth_service.storage.reconciliation import PostgresReconciliationStore
from auth_service.storage.throttle import ValkeyThrottle
from gateway.quota.failover import FailoverLimiter
from gateway.quota.limiter import Quota
from gateway.quota.valkey_cluster_ledger_writer import ClusterLedgerWriter
from gateway.quota.valkey_counting import open_counting
from gateway.quota.valkey_ledger_writer import GROUP, LedgerPace
from gateway.storage.valkey_client import open_valkey
from servicekit.concurrency.background import in_background
from servicekit.database_url import driver_url
from servicekit.errors import Unavailable
from servicekit.migration.command import migrate
from servicekit.valkey import get_each, open_client
from servicekit.valkey_keys import cluster_layout
from tests.clients.person import Person
from tests.fakes.gateway_ports import principal
from tests.fakes.ledger_access import LedgerAccess
from tests.fakes.valkey_cluster import PRIMARIES, Cluster, running_cluster
from tests.integration.auth_service.conftest import running, settings_of
from tests.integration.auth_service.test_reconciliation import PACE, ROUNDS

pytestmark = [pytest.mark.timeout(180)]

LOGIN_GUESSES: Final = 10
ACCOUNTS: Final = 6


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Generator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def now() -> datetime:
    return datetime.now(UTC)


async def test_replicas_share_a_limit(cluster: Cluster) -> None:
    clients = [open_client(cluster.url(), socket_timeout=2) for _ in range(2)]
    throttles = [ValkeyThrottle(client, lambda: 1_800_000_000.0) for client in clients]
    for number in range(8):
        key = f"login:{number}:{secrets.token_hex(6)}"
        waits = [await throttles[at % 2].admit(key, 3, 60) for at in range(5)]
        assert [wait is None for wait in waits] == [True] * 3 + [False] * 2
        await throttles[0].forget(key, 60)
        await throttles[1].forget(key, 60)
        assert await throttles[1].admit(key, 1, 60) is None
    for client in clients:
        await client.aclose()


async def test_guesses_are_refused_with_429(
    cluster: Cluster, fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    settings = settings_of(fresh_database(), cluster.url(), tmp_path)
    async with running(settings) as service:
        email = await service.account()
        async with Person(service.url, "2001:db8::1") as guesser:
            statuses = [
                (await guesser.log_in(email, f"guess {at}")).status_code
                for at in range(LOGIN_GUESSES + 1)
            ]
    assert statuses == [401] * LOGIN_GUESSES + [429]


async def test_values_of_several_slots_are_read(cluster: Cluster) -> None:
    client: Any = open_client(cluster.url(), socket_timeout=2)
    names = [f"name-{number}" for number in range(8)]
    for name in names[1:]:
        await client.set(name, name)
    assert await get_each(client, names) == [None, *(name.encode() for name in names[1:])]
    await client.set(KEY, "1800000000")
    await measure_backup(client)
    assert LAST_BACKUP._value.get() == 1_800_000_000  # pyright: ignore[reportPrivateUsage]
    await client.aclose()


@dataclass
class Counted:
    """A gateway that counts in the cluster, and the comparison with its ledger."""

    quota: Quota
    ledger_writer: ClusterLedgerWriter
    reconciliation: Reconciliation
    access: LedgerAccess
    valkey: Any

    async def call(self, account_id: str) -> None:
        caller = principal(account_id=account_id, monthly_requests=1_000_000)
        await self.quota.admit(caller, "sponsor.search", 1)

    async def call_on(self, account_id: str) -> None:
        while True:
            await self.call(account_id)


@pytest.fixture
async def counted(fresh_database: Callable[[], str], cluster: Cluster) -> AsyncGenerator[Counted]:
    for node in cluster.nodes[:PRIMARIES]:
        node.command("FLUSHALL")
    url, layout = fresh_database(), cluster_layout()
    await asyncio.to_thread(migrate, url, MIGRATIONS)
    engine = create_async_engine(driver_url(url))
    valkey = open_valkey(cluster.url(), timeout=30)
    access = LedgerAccess(engine, now)
    counting = open_counting(valkey, valkey, access, None, layout)
    store = FailoverLimiter("gateway-1", counting.counters, counting.generations, access)
    counters = ClusterCounters(open_client(cluster.url(), socket_timeout=5), layout)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(engine.dispose)
        stack.push_async_callback(valkey.aclose)
        stack.push_async_callback(counters.client.aclose)
        await stack.enter_async_context(in_background(store.run()))
        yield Counted(
            Quota(store, access),
            ClusterLedgerWriter(valkey, layout, access, PACE),
            Reconciliation(PostgresReconciliationStore(engine), counters, now, 45),
            access,
            counters.client,
        )


async def test_nothing_differs_however_many_calls_are_under_way(counted: Counted) -> None:
    accounts = [f"account-{number}" for number in range(ACCOUNTS)]
    async with AsyncExitStack() as stack:
        loops = [counted.call_on(account_id) for account_id in accounts]
        tasks = [
            await stack.enter_async_context(in_background(loop))
            for loop in (counted.ledger_writer.run(), *loops)
        ]
        found = [await counted.reconciliation.compare() for _ in range(ROUNDS)]
        assert [task for task in tasks if task.done()] == []
    assert [(item.differences, item.counters_skipped) for item in found] == [((), "")] * ROUNDS


async def test_a_wrong_counter_is_found_and_lowered(counted: Counted) -> None:
    accounts = [f"account-{number}" for number in range(ACCOUNTS)]
    for account_id in accounts:
        await counted.call(account_id)
    month = Month(accounts[3], f"{now():%Y-%m}")
    state = await counted.reconciliation.store.counter_state()
    key = cluster_layout().shard_of(accounts[3]).counter(accounts[3], month.month, state.epoch)
    await counted.valkey.incrby(key, 5)
    # The calls still wait in the streams: they count as well.
    found = await counted.reconciliation.compare()
    assert [(item.account_id, item.ledger, item.other) for item in found.differences] == [
        (accounts[3], 1, 6)
    ]
    assert await counted.reconciliation.counters.lower(state.epoch, month, 5)
    assert (await counted.reconciliation.compare()).differences == ()
    assert not await counted.reconciliation.counters.lower("another", month, 1)


async def test_calls_that_a_gateway_read_and_did_not_finish_are_taken_over(
    counted: Counted,
) -> None:
    layout = cluster_layout()
    for number in range(ACCOUNTS):
        await counted.call(f"account-{number}")
    counted.access.is_away = True
    dead = ClusterLedgerWriter(counted.valkey, layout, counted.access, PACE)
    with pytest.raises(Unavailable):
        await dead.carry()
    counted.access.is_away = False
    patient = ClusterLedgerWriter(counted.valkey, layout, counted.access, PACE)
    assert await patient.carry() == 0
    at_once = LedgerPace(takeover_seconds=0, forget_seconds=0)
    eager = ClusterLedgerWriter(counted.valkey, layout, counted.access, at_once)
    assert await eager.carry() == ACCOUNTS
    assert await eager.carry() == 0
    shard = layout.shard_of("account-1")
    assert await counted.valkey.xlen(shard.usage_stream) == 0
    # Those that owed nothing have left the group.
    assert await counted.valkey.xinfo_consumers(shard.usage_stream, GROUP) == []
    assert (await counted.reconciliation.compare()).differences == ()
