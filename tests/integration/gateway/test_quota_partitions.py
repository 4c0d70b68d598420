"""Two gateways, Valkey and Postgres cut off from each other: no month has more than its plan.

Each gateway has a way of its own to Valkey and one to Postgres, which are cut.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
import redis
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service import MIGRATIONS
from auth_service.domain import counting_authority
from auth_service.settings import AuthSettings
from devstack.engines import Postgres, Valkey, program
from devstack.ports import HOST, free_port
from gateway.authentication.principal import Principal
from gateway.quota.errors import QuotaExceeded
from gateway.quota.failover import FailoverLimiter
from gateway.quota.lease import FailoverPolicy
from gateway.quota.limiter import Quota
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.quota.valkey_generation import ValkeyGenerationStore
from gateway.quota.valkey_ledger_writer import LedgerPace, LedgerWriter
from gateway.storage.valkey_client import open_valkey
from servicekit import database
from servicekit.concurrency.background import in_background
from servicekit.errors import Unavailable
from servicekit.migration.command import migrate
from servicekit.settings import DatabaseSettings
from tests.fakes.gateway_ports import principal
from tests.fakes.ledger_access import LedgerAccess
from tests.faults.slow_proxy import SlowProxy

PLAN: Final = 300
CALLS: Final = 600
MAX_ADMITTED: Final = PLAN + PLAN // 100
PASSWORD: Final = "replicated"
CALLER: Final = principal(monthly_requests=PLAN, burst_requests=100_000)
MANY: Final = principal(monthly_requests=100_000, burst_requests=100_000)


@dataclass
class Gateway:
    """One gateway's part in counting."""

    quota: Quota
    store: FailoverLimiter
    access: LedgerAccess
    way: SlowProxy

    async def admits(self, caller: Principal = CALLER) -> bool:
        try:
            await self.quota.admit(caller, "sponsor.search", 1)
        except (QuotaExceeded, Unavailable):
            return False
        return True

    async def counts(self) -> None:
        async with asyncio.timeout(30):
            while not self.store.is_counting:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


@asynccontextmanager
async def gateway(name: str, server: Valkey, engine: AsyncEngine) -> AsyncGenerator[Gateway]:
    async with AsyncExitStack() as stack:
        way = SlowProxy(free_port(), f"{HOST}:{server.port}")
        await stack.enter_async_context(way.listening())
        valkey = open_valkey(server.url().replace(f":{server.port}", f":{way.port}"), timeout=0.5)
        stack.push_async_callback(valkey.aclose)
        access = LedgerAccess(engine, lambda: datetime.now(UTC))
        counters = ValkeyQuota(valkey)
        policy = FailoverPolicy(poll=0.05, undecided_poll=0.02, max_wait=1.0)
        store = FailoverLimiter(name, counters, ValkeyGenerationStore(valkey), access, policy)
        counters.refunder, counters.on_unclaimed = store.refund, store.undo
        writer = LedgerWriter(valkey, access, LedgerPace(wait_seconds=0.01, retry_seconds=0.1))
        for loop in (store.run(), writer.run()):
            await stack.enter_async_context(in_background(loop))
        found = Gateway(Quota(store, access), store, access, way)
        await found.counts()
        yield found


@pytest.fixture
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases that end within the time of a test."""
    monkeypatch.setattr(counting_authority, "LIVE", timedelta(seconds=1))


@pytest.fixture
async def engine(fresh_database: Callable[[], str]) -> AsyncGenerator[AsyncEngine]:
    url = fresh_database()
    await asyncio.to_thread(migrate, url, MIGRATIONS)
    opened = database.open_engine(AuthSettings.model_construct(database_url=url), "test")
    yield opened
    await opened.dispose()


@pytest.fixture
def server(tmp_path: Path) -> Any:
    valkey = Valkey(free_port(), PASSWORD, tmp_path / "valkey.log", tmp_path / "valkey")
    valkey.start()
    yield valkey
    valkey.stop()


async def admitted_at_once(gateways: Sequence[Gateway], calls: int) -> list[int]:
    """Calls of both gateways at once, and how many of them each gateway admitted."""
    each = [[item.admits() for _ in range(calls // len(gateways))] for item in gateways]
    found = await asyncio.gather(*(asyncio.gather(*calls) for calls in each))
    return [sum(outcomes) for outcomes in found]


async def admitted_until_late(gateways: Sequence[Gateway]) -> int:
    """As many calls, some at once and the others until long after leases have ended."""
    admitted = 0
    for _ in range(30):
        admitted += sum(await admitted_at_once(gateways, CALLS // 30))
        await asyncio.sleep(0.1)
    return admitted


async def agree(gateways: Sequence[Gateway], caller: Principal, used: int) -> None:
    """Wait until ledger and counters have the same number; a minute is promised."""
    month, account_id = f"{datetime.now(UTC):%Y-%m}", caller.entitlements.account_id
    left = caller.entitlements.monthly_requests - used
    found: object = None
    try:
        async with asyncio.timeout(60):
            while found != (used, [left] * len(gateways)):
                await asyncio.sleep(0.05)
                ledger = await gateways[0].access.used_in(account_id, month)
                found = (ledger, [await _left(item, caller) for item in gateways])
    except TimeoutError:
        raise AssertionError(f"{found} for {used} answered calls") from None


async def _left(item: Gateway, caller: Principal) -> int | None:
    try:
        return (await item.quota.admit(caller, "sponsor.search", 0)).state.remaining
    except Unavailable:
        return None


async def test_a_gateway_that_is_cut_off_from_valkey_counts_nothing(
    server: Valkey, engine: AsyncEngine
) -> None:
    async with gateway("a", server, engine) as cut, gateway("b", server, engine) as other:
        calls = asyncio.create_task(admitted_at_once([cut, other], CALLS))
        await asyncio.sleep(0)
        await cut.way.vanish()
        first = await calls
        again = await admitted_at_once([cut, other], CALLS)
        assert sum(first) + sum(again) <= MAX_ADMITTED
        assert again[0] == 0
        assert not cut.store.is_counting
        await cut.way.appear()
        await cut.counts()
        assert (
            sum(await admitted_at_once([cut, other], CALLS)) + sum(first) + sum(again)
            <= MAX_ADMITTED
        )
        await agree([cut, other], CALLER, PLAN)


@pytest.mark.usefixtures("short_leases")
@pytest.mark.parametrize("first_to_go", ["valkey", "postgres"])
async def test_gateways_on_the_two_sides_of_a_partition_count_once(
    server: Valkey, engine: AsyncEngine, first_to_go: str
) -> None:
    """One gateway is with Valkey and the other one with Postgres."""
    async with gateway("a", server, engine) as near, gateway("b", server, engine) as far:
        admitted = sum(await admitted_at_once([near, far], 60))
        near.access.is_away = first_to_go == "postgres"
        await far.way.vanish()
        admitted += sum(await admitted_at_once([near, far], 60))
        near.access.is_away = True
        admitted += await admitted_until_late([near, far])
        assert admitted <= MAX_ADMITTED
        assert far.store.is_cut_off
        near.access.is_away = False
        await far.way.appear()
        await far.counts()
        await near.counts()
        admitted += sum(await admitted_at_once([near, far], CALLS))
        assert admitted <= MAX_ADMITTED
        await agree([near, far], CALLER, PLAN)


@pytest.mark.usefixtures("short_leases")
async def test_without_postgres_both_gateways_count_on_in_valkey(
    server: Valkey, engine: AsyncEngine
) -> None:
    async with gateway("a", server, engine) as first, gateway("b", server, engine) as second:
        admitted = sum(await admitted_at_once([first, second], 60))
        first.access.is_away = second.access.is_away = True
        late = await admitted_until_late([first, second])
        assert admitted + late == PLAN
        first.access.is_away = second.access.is_away = False
        await agree([first, second], CALLER, PLAN)


async def test_a_gateway_that_still_sees_an_old_primary_counts_with_the_other_one(
    server: Valkey, engine: AsyncEngine, tmp_path: Path
) -> None:
    replica = Valkey(free_port(), PASSWORD, tmp_path / "replica.log", tmp_path / "replica")
    replica.start()
    try:
        async with gateway("a", server, engine) as near, gateway("b", server, engine) as far:
            admitted = sum(await admitted_at_once([near, far], 60))
            with client(replica) as replica_client, client(server) as primary:
                replica_client.config_set("masterauth", PASSWORD)
                replica_client.replicaof(HOST, server.port)
                primary.set("marker", 1)
                assert await asyncio.to_thread(primary.wait, 1, 30_000) == 1
                replica_client.replicaof("NO", "ONE")
            far.way.redirect(f"{HOST}:{replica.port}")
            admitted += sum(await admitted_at_once([near, far], CALLS))
            assert admitted <= MAX_ADMITTED
            assert not far.store.is_counting
            near.way.redirect(f"{HOST}:{replica.port}")
            await asyncio.sleep(0.2)
            await near.counts()
            await far.counts()
            admitted += sum(await admitted_at_once([near, far], CALLS))
            assert admitted <= MAX_ADMITTED
            await agree([near, far], CALLER, admitted)
    finally:
        replica.stop()


def client(server: Valkey) -> Any:
    return redis.Redis.from_url(server.url(), socket_timeout=60)  # pyright: ignore[reportUnknownMemberType]


@asynccontextmanager
async def lagging_pair(folder: Path) -> AsyncGenerator[tuple[Postgres, Postgres, SlowProxy]]:
    """A primary, a standby, and the way between them."""
    settings = {"synchronous_commit": "local"}
    primary = Postgres(folder / "primary", free_port(), PASSWORD, settings, folder / "primary.log")
    standby = Postgres(folder / "standby", free_port(), PASSWORD, {}, folder / "standby.log")
    async with AsyncExitStack() as stack:
        primary.start()
        stack.callback(primary.stop)
        await asyncio.to_thread(migrate, primary.url(), MIGRATIONS)
        way = SlowProxy(free_port(), f"{HOST}:{primary.port}")
        await stack.enter_async_context(way.listening())
        source = primary.url().replace(f":{primary.port}/", f":{way.port}/")
        command = [program("pg_basebackup"), "-D", str(standby.data), "-d", source, "-R"]
        await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
        owner = primary.data.stat()
        for path in (standby.data, *standby.data.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid)
        await asyncio.to_thread(standby.start)
        stack.callback(standby.stop)
        yield primary, standby, way


async def test_calls_that_a_promoted_standby_lacks_are_in_the_ledger_within_a_minute(
    server: Valkey, tmp_path: Path
) -> None:
    async with lagging_pair(tmp_path) as (primary, standby, way):
        url = (
            f"postgresql://postgres:{PASSWORD}@/postgres?host={HOST},{HOST}"
            f"&port={primary.port},{standby.port}&target_session_attrs=read-write"
        )
        engine = database.open_engine(DatabaseSettings(database_url=url), "test")
        try:
            async with (
                gateway("a", server, engine) as first,
                gateway("b", server, engine) as second,
            ):
                for _ in range(20):
                    assert await first.admits(MANY)
                await agree([first, second], MANY, 20)
                await way.vanish()
                for _ in range(22):
                    assert await first.admits(MANY)
                    assert await second.admits(MANY)
                await agree([first, second], MANY, 64)
                assert primary.process is not None
                primary.process.kill()
                primary.process.wait()
                with psycopg.connect(standby.url(), autocommit=True) as promoted:
                    missing = promoted.execute("SELECT 64 - count(*) FROM usage_entries").fetchone()
                    promoted.execute("SELECT pg_promote()")
                assert missing == (44,)
                await agree([first, second], MANY, 64)
        finally:
            await engine.dispose()
