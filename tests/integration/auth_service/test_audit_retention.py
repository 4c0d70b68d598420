"""Only the retention job deletes old audit events; recent ones cannot be deleted."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from pydantic import SecretStr, ValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service import MIGRATIONS
from auth_service.settings import AuthSettings
from auth_service.storage.retention import discard_audit_before
from devstack.engines import Postgres
from servicekit import database
from servicekit.migration.command import migrate

AGES = (1, 89, 100, 399, 401, 900)


@pytest.fixture
async def engine(fresh_database: Callable[[], str]) -> AsyncGenerator[AsyncEngine]:
    settings = AuthSettings(database_url=fresh_database(), token_secret=SecretStr("x" * 32))
    migrate(settings.database_url, MIGRATIONS)
    with psycopg.connect(settings.database_url) as connection:
        for age in AGES:
            connection.execute(
                "INSERT INTO audit_log (at, event, actor) VALUES (%s, %s, 'test')",
                (datetime.now(UTC) - timedelta(days=age), f"{age} days ago"),
            )
    opened = database.open_engine(settings, "test")
    yield opened
    await opened.dispose()


def connect(engine: AsyncEngine) -> psycopg.Connection:
    url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(url)


def events(engine: AsyncEngine) -> list[tuple[str, str]]:
    with connect(engine) as connection:
        rows = connection.execute("SELECT event, detail FROM audit_log ORDER BY id")
        return [(row[0], row[1]) for row in rows]


async def test_old_events_are_deleted_and_the_deletion_is_recorded(engine: AsyncEngine) -> None:
    limit = datetime.now(UTC) - timedelta(days=400)
    assert await discard_audit_before(engine, limit) == 2
    remaining = [f"{age} days ago" for age in AGES if age < 400]
    discard_event = ("audit_discarded", f"2 events before {limit:%Y-%m-%d}")
    assert events(engine) == [*((event, "") for event in remaining), discard_event]
    assert await discard_audit_before(engine, limit) == 0
    assert len(events(engine)) == len(remaining) + 1


async def test_young_events_stay_even_when_their_deletion_is_requested(engine: AsyncEngine) -> None:
    with pytest.raises(DBAPIError, match="younger than 90 days"):
        await discard_audit_before(engine, datetime.now(UTC))
    assert len(events(engine)) == len(AGES)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit_log WHERE at < now() - interval '900 days'",
        "UPDATE audit_log SET event = 'nothing' WHERE at < now() - interval '500 days'",
        "TRUNCATE audit_log",
    ],
)
def test_there_is_no_other_way(engine: AsyncEngine, statement: str) -> None:
    with (
        connect(engine) as connection,
        pytest.raises(psycopg.errors.RaiseException, match="only added to"),
    ):
        connection.execute(statement.encode())
    # Not right after the function either: what it allows ends with it.
    with connect(engine) as connection:
        connection.execute("SELECT discard_audit_before(now() - interval '400 days')")
        with pytest.raises(psycopg.errors.RaiseException, match="only added to"):
            connection.execute(statement.encode())


def test_a_role_that_serves_needs_no_right_to_delete(
    engine: AsyncEngine, postgres: Postgres
) -> None:
    database = str(engine.url.database)
    with psycopg.connect(postgres.url(database)) as connection:
        connection.execute("CREATE ROLE audit_server")
        connection.execute("GRANT USAGE ON SCHEMA public TO audit_server")
        connection.execute("GRANT SELECT, INSERT ON audit_log TO audit_server")
        connection.execute("SET LOCAL ROLE audit_server")
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
            connection.execute("SELECT discard_audit_before(now() - interval '400 days')")
        connection.execute("RESET ROLE")
        connection.execute("GRANT EXECUTE ON FUNCTION discard_audit_before TO audit_server")
        connection.execute("SET LOCAL ROLE audit_server")
        found = connection.execute("SELECT discard_audit_before(now() - interval '400 days')")
        assert found.fetchone() == (2,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
            connection.execute("DELETE FROM audit_log")
        connection.rollback()


def test_no_setting_is_shorter_than_the_database_allows() -> None:
    def settings(days: int) -> AuthSettings:
        return AuthSettings(
            database_url="postgresql://x", token_secret=SecretStr("x" * 32), audit_log_days=days
        )

    assert settings(0).audit_log_days == 0
    with pytest.raises(ValidationError, match="at least 90 days"):
        settings(30)
