"""The whole stack behind PgBouncer in transaction mode: tools, OAuth, imports and migrations, and a Postgres that is killed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from devstack.children import Child
from tests.faults.conftest import warm
from tests.faults.services import Running
from tests.faults.trial import trial
from tests.poolers import needs_new

pytestmark = [pytest.mark.timeout(240), needs_new]

SECTION = "postgres"
POOL = 6
"""Connections to Postgres for a database, of which a catalog alone has sixteen without a pooler."""

SERVICES = {"catalog": "CATALOG", "auth": "AUTH", "imports": "IMPORT"}
WANTED = {"jit": "off", "random_page_cost": "1.1", "statement_timeout": "9s", "timezone": "UTC"}
PLANS = {"catalog": "force_generic_plan", "auth": "auto", "imports": "auto"}
RETURN_SECONDS = 10.0


@pytest.fixture(scope="module")
async def pooled(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Running]:
    """A stack whose services reach their databases by PgBouncer."""
    more = {f"{prefix}_DATABASE_STATEMENT_TIMEOUT_SECONDS": "9" for prefix in SERVICES.values()}
    folder: Path = tmp_path_factory.mktemp("pgbouncer")
    async with warm((), more, folder, pooler={"default_pool_size": str(POOL)}) as made:
        yield made


async def test_tools_oauth_and_an_import_run_through_a_pool_smaller_than_what_the_services_open(
    pooled: Running,
) -> None:
    async with trial(pooled) as it:
        await it.goes_on(100, seconds=150)
    assert [call for call in it.load.calls if not call.is_good] == []
    await it.keeps_its_promises(
        SECTION, "none: PgBouncer before the databases", "all callers go on", within=None
    )
    assert pooled.pooler is not None
    clients, servers = (pooled.pooler.console(f"SHOW {name}") for name in ("CLIENTS", "SERVERS"))
    of_catalog = [row for row in clients if "catalog" in row]
    assert len(of_catalog) > POOL
    assert 0 < len([row for row in servers if "catalog" in row]) <= POOL
    assert not [row for row in clients if "import_worker jobs" in row]
    # What hears of new jobs has sessions of its own.
    ((direct,),) = await pooled.rows(
        "postgres",
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'import_worker jobs'",
    )
    assert direct > 0


@pytest.mark.parametrize("database", SERVICES)
async def test_the_parameters_of_the_services_hold_in_every_transaction(
    pooled: Running, database: str
) -> None:
    assert pooled.pooler is not None
    url = pooled.pooler.url(pooled.postgres.url(database))

    wanted = {**WANTED, "plan_cache_mode": PLANS[database]}

    def shown(connection: psycopg.Connection[Any]) -> dict[str, str]:
        query = "SELECT name, current_setting(name) FROM unnest(%s::text[]) AS name"
        return dict(connection.execute(query, [list(wanted)]).fetchall())

    def of_two() -> list[dict[str, str]]:
        # Two transactions at once have different processes.
        with psycopg.connect(url) as first, psycopg.connect(url) as second:
            return [shown(first), shown(second)]

    assert await asyncio.to_thread(of_two) == [wanted, wanted]


@pytest.mark.parametrize("name", ["catalog_service", "auth_service", "import_worker"])
async def test_migrations_run_again_beside_services_at_work(pooled: Running, name: str) -> None:
    service = pooled.children[name]
    log = service.log.with_name(f"{name}-migrate.log")
    migrating = Child(name, [service.arguments[0], "migrate"], service.environment, log)

    def migrate() -> None:
        migrating.start()
        migrating.run_to_end()

    async with trial(pooled) as it:
        await asyncio.to_thread(migrate)
        await it.goes_on()
    assert [call for call in it.load.calls if not call.is_good] == []


async def test_a_postgres_that_is_killed_behind_the_pooler_costs_no_count_and_is_found_again(
    pooled: Running,
) -> None:
    async with trial(pooled) as it:
        before = pooled.pid("postgres")
        it.broke = time.monotonic()
        await pooled.kill("postgres")
        it.returned = await pooled.come_back("postgres", before)
        await it.recovers()
    await it.keeps_its_promises(
        SECTION,
        "Postgres killed behind PgBouncer",
        "503 with Retry-After to what asks it, until it is back",
        within=RETURN_SECONDS,
    )
