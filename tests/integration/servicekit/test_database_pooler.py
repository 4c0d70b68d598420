"""PgBouncer before a service's database: what the service needs of it, and the sentences by which it refuses the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy import text

from catalog_service import MIGRATIONS
from catalog_service.settings import CatalogSettings
from devstack.engines import Postgres
from devstack.settings import BackupSettings
from servicekit import database, database_parameters, database_wait
from servicekit.database_pooler import PoolerError, Pooling, pooling_of, problem
from servicekit.migration import command, role_parameters
from servicekit.migration.role_parameters import RoleParametersError
from tests import poolers
from tests.databases import Databases
from tests.poolers import PgBouncer, behind, needs_new, needs_old, pgbouncer

pytestmark = [pytest.mark.timeout(120)]

SHOWN = "SELECT lower(name), setting FROM pg_settings WHERE lower(name) = ANY(:names)"


def settings_of(url: str, **more: Any) -> CatalogSettings:
    return CatalogSettings(
        database_url=url, cursor_secret=SecretStr("a secret of the tests"), **more
    )


def accept(_connection: psycopg.Connection[Any]) -> None:
    """Check nothing."""


@pytest.fixture(scope="module")
def pooler(postgres: Postgres) -> Generator[PgBouncer]:
    """PgBouncer as the reference file has it."""
    with pgbouncer(postgres) as running:
        yield running


def test_postgres_itself_is_known_for_what_it_is(databases: Databases) -> None:
    url = databases.empty()
    assert pooling_of(url, accept) is Pooling.DIRECT
    assert problem(settings_of(url)) is None


@needs_new
def test_transactions_that_share_processes_are_not_taken_for_sessions(
    postgres: Postgres, pooler: PgBouncer, databases: Databases
) -> None:
    url = databases.empty()
    assert pooling_of(pooler.url(url), accept) is Pooling.TRANSACTION
    with pgbouncer(postgres, pool_mode="session") as keeping:
        assert pooling_of(keeping.url(url), accept) is Pooling.SESSION


@needs_new
async def test_the_parameters_of_the_service_hold_behind_the_pooler(
    pooler: PgBouncer, databases: Databases
) -> None:
    direct = settings_of(databases.empty(), database_statement_timeout_seconds=0.5)
    pooled = behind(pooler, direct)
    assert problem(pooled) is None
    wanted = database_parameters.role_parameters(direct)
    reading = database.open_reading_engine(pooled, "test")
    async with reading.connect() as connection:
        rows = await connection.execute(text(SHOWN), {"names": list(wanted)})
        assert {row[0]: row[1] for row in rows} == wanted
        with pytest.raises(Exception, match="statement timeout"):
            await connection.execute(text("SELECT pg_sleep(20)"))
    await reading.dispose()
    # What writes has plans of its own, for one transaction.
    writing = database.open_engine(pooled, "test")
    async with writing.begin() as connection:
        rows = await connection.execute(text(SHOWN), {"names": list(wanted)})
        assert {row[0]: row[1] for row in rows} == {**wanted, "plan_cache_mode": "auto"}
    await writing.dispose()
    threads = database.open_sync_engine(pooled, "test")
    with threads.connect() as connection:
        assert connection.scalar(text("SHOW statement_timeout")) == "500ms"
        assert connection.scalar(text("SHOW plan_cache_mode")) == "force_generic_plan"
    threads.dispose()


@needs_new
async def test_more_statements_than_a_connection_keeps_run_again_and_again(
    postgres: Postgres, databases: Databases
) -> None:
    with pgbouncer(postgres, max_prepared_statements="20") as small:
        engine = database.open_reading_engine(behind(small, settings_of(databases.empty())), "test")

        async def count(number: int) -> None:
            async with engine.connect() as connection:
                assert (
                    await connection.scalar(text(f"SELECT {number} + :n"), {"n": 1}) == number + 1
                )

        for _ in range(3):
            await asyncio.gather(*(count(number) for number in range(150)))
        await engine.dispose()


@needs_new
def test_migrations_run_beside_the_pooler_and_say_what_the_role_has_got(
    pooler: PgBouncer, databases: Databases, capsys: pytest.CaptureFixture[str]
) -> None:
    direct = databases.empty()
    settings = settings_of(pooler.url(direct), database_direct_url=direct)
    database_wait.migrate_at_start(settings, MIGRATIONS)
    said = capsys.readouterr().err
    assert "has other parameters" in said
    assert "statement_timeout = 10000" in said
    assert "RECONNECT" in said
    database_wait.migrate_at_start(settings, MIGRATIONS)
    assert "has other parameters" not in capsys.readouterr().err
    asyncio.run(database_wait.wait_at_start(settings, MIGRATIONS))


def test_without_a_pooler_the_role_is_left_as_it_is(databases: Databases) -> None:
    settings = settings_of(databases.empty())
    assert role_parameters.write(settings) is None
    wanted = database_parameters.role_parameters(settings)
    with psycopg.connect(settings.database_url) as connection:
        lacks = database_parameters.missing_from_role(connection, connection.info.user, wanted)
    assert list(lacks) == list(wanted)


@needs_new
def test_a_pooler_without_the_direct_url_is_refused(
    postgres: Postgres, pooler: PgBouncer, databases: Databases
) -> None:
    url = databases.empty()
    with pytest.raises(PoolerError, match="Name Postgres itself in CATALOG_DATABASE_DIRECT_URL"):
        problem(settings_of(pooler.url(url)))
    # Also where the role has the parameters: a worker would never hear of new jobs.
    behind(pooler, settings_of(url))
    with pytest.raises(PoolerError, match="CATALOG_DATABASE_URL leads to a pooler in transaction"):
        problem(settings_of(pooler.url(url)))
    with pytest.raises(PoolerError, match="DIRECT_URL leads to a pooler in transaction mode"):
        problem(settings_of(pooler.url(url), database_direct_url=pooler.url(url)))


@needs_new
@pytest.mark.parametrize("ignored", ["options", "extra_float_digits"])
def test_a_pooler_of_sessions_that_loses_the_parameters_is_refused(
    postgres: Postgres, databases: Databases, ignored: str
) -> None:
    with (
        pgbouncer(postgres, pool_mode="session", ignore_startup_parameters=ignored) as keeping,
        pytest.raises(PoolerError, match=r"does not pass on the parameters .*statement_timeout"),
    ):
        problem(settings_of(keeping.url(databases.empty())))


@needs_new
def test_a_pooler_that_loses_prepared_statements_is_refused(
    postgres: Postgres, databases: Databases
) -> None:
    settings = settings_of(databases.empty())
    with (
        pgbouncer(postgres, max_prepared_statements="0") as forgetting,
        pytest.raises(PoolerError, match=r"PgBouncer 1\.21 or newer, with max_prepared_statements"),
    ):
        problem(behind(forgetting, settings))


@needs_old
def test_an_old_pgbouncer_is_refused(postgres: Postgres, databases: Databases) -> None:
    settings = settings_of(databases.empty())
    with (
        pgbouncer(postgres, poolers.OLD) as old,
        pytest.raises(PoolerError, match=r"PgBouncer 1\.21 or newer, with max_prepared_statements"),
    ):
        problem(behind(old, settings))


@needs_new
def test_a_pooler_of_one_connection_is_waited_for_and_named(
    postgres: Postgres, databases: Databases
) -> None:
    with pgbouncer(postgres, default_pool_size="1", query_wait_timeout="60") as tight:
        settings = behind(tight, settings_of(databases.empty()))
        assert (
            problem(settings)
            == "the pooler gives out fewer than two connections to the database at once"
        )


@needs_new
def test_connections_from_before_the_role_got_its_parameters_are_found_until_they_are_closed(
    pooler: PgBouncer, databases: Databases
) -> None:
    settings = settings_of(databases.empty())
    with psycopg.connect(pooler.url(settings.database_url)) as early:
        early.execute("SELECT")
    pooled = settings.model_copy(
        update={
            "database_url": pooler.url(settings.database_url),
            "database_direct_url": settings.database_url,
        }
    )
    found = problem(pooled)
    assert found is not None
    assert "lacks parameters in its database" in found
    pooled = behind(pooler, settings)
    found = problem(pooled)
    assert found is not None
    assert "older than the role's parameters" in found
    pooler.console("RECONNECT")
    assert problem(pooled) is None


def test_a_role_that_may_not_set_the_parameters_of_another_says_who_is_to_run_what(
    databases: Databases,
) -> None:
    direct = databases.empty()
    settings = settings_of("postgresql://postgres:x@127.0.0.1:1/x", database_direct_url=direct)
    with pytest.raises(
        RoleParametersError, match=r'ALTER ROLE "postgres" IN DATABASE .* SET "jit" = '
    ):
        role_parameters.write(settings)


@needs_new
def test_the_tools_of_the_command_reach_postgres_itself_without_the_limit_of_the_role(
    pooler: PgBouncer, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    direct = databases.empty()
    pooled = behind(pooler, settings_of(direct))
    monkeypatch.setenv("CATALOG_DATABASE_URL", pooled.database_url)
    monkeypatch.setenv("CATALOG_DATABASE_DIRECT_URL", direct)
    url = BackupSettings().database_urls["catalog"]
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_backend_pid(), current_setting('statement_timeout')")
        assert row.fetchone() == (connection.info.backend_pid, "0")
    command.migrate(url, MIGRATIONS)
