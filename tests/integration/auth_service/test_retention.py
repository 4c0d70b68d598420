"""Each table is cleaned up by itself."""

from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from auth_service import MIGRATIONS
from auth_service.settings import AuthSettings
from auth_service.storage.retention import EXPIRING_TABLES, delete_expired
from servicekit import database
from servicekit.migration.command import migrate

_EXPIRED = "INSERT INTO deleted_accounts (address_hmac, account_id, expires_at) VALUES ('\\x01', 'acc_1', now() - interval '9 days')"


@pytest.fixture
def url(fresh_database: Callable[[], str]) -> str:
    url = fresh_database()
    migrate(url, MIGRATIONS)
    return url


@pytest.fixture
async def engine(url: str) -> AsyncGenerator[AsyncEngine]:
    settings = AuthSettings(
        database_url=url,
        token_secret=SecretStr("x" * 32),
        database_statement_timeout_seconds=0.3,
    )
    opened = database.open_engine(settings, "test")
    yield opened
    await opened.dispose()


async def test_a_table_that_is_locked_or_gone_keeps_no_other_from_being_cleaned_up(
    url: str, engine: AsyncEngine
) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(_EXPIRED)
        connection.execute("DROP TABLE calls_daily")
    with psycopg.connect(url) as locking, capture_logs() as lines:
        locking.execute("LOCK TABLE usage_entries")
        await delete_expired(engine, datetime.now(UTC), 400, 400)
    failed = {line["step"]: line for line in lines if line["event"] == "step_failed"}
    assert set(failed) == {"entries", "calls"}
    assert len({line["error_id"] for line in failed.values()}) == 2
    (done,) = [line for line in lines if line["event"] == "cleanup_done"]
    assert (done["expired"], done["entries"], done["audit"]) == (1, 0, 0)


def test_the_tables_that_expire_are_each_named_once() -> None:
    assert len({table.name for table in EXPIRING_TABLES}) == len(EXPIRING_TABLES)
