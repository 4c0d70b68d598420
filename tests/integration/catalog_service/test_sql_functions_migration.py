"""The migration that takes functions from all roles, where the migrating role may do that."""

from collections.abc import Callable

import psycopg
import pytest
from alembic import command
from alembic.config import Config

from catalog_service import MIGRATIONS
from servicekit.database_url import driver_url
from servicekit.migration.command import migrate
from tests.databases import Databases

CALLS = (
    "SELECT ts_stat('SELECT ''a''::tsvector')",
    "SELECT query_to_xml('SELECT 1', true, false, '')",
    "SELECT pg_logical_emit_message(true, 'a', 'b')",
    "SELECT pg_sleep(0)",
    "SELECT pg_sleep_for('0 s')",
    "SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, ''b''::tsquery')",
)
STILL_THERE = (
    "SELECT set_config('a.b', 'c', false), pg_try_advisory_lock(1), count(*) FROM pg_stat_activity"
)


@pytest.fixture
def superusers(databases: Databases, postgres_url: str) -> tuple[str, str]:
    """The URLs of an empty database, as the server's superuser and as a role without rights."""
    url = databases.empty()
    server = postgres_url.rpartition("/")[0]
    return f"{server}/{url.rpartition('/')[2]}", databases.powerless(url)


def refusals(url: str) -> int:
    """Return how many of the calls the role is refused."""
    count = 0
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(STILL_THERE)
        for call in CALLS:
            try:
                connection.execute(call)
            except psycopg.errors.InsufficientPrivilege:
                count += 1
            except (psycopg.errors.InvalidTextRepresentation, psycopg.errors.FeatureNotSupported):
                pass
    return count


def test_a_superusers_migration_takes_them_and_gives_them_back(
    superusers: tuple[str, str],
) -> None:
    url, role = superusers
    migrate(url, MIGRATIONS)
    assert refusals(role) == len(CALLS)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(url))
    command.downgrade(config, "0020")
    assert refusals(role) == 0


def test_another_roles_migration_leaves_them(
    databases: Databases, fresh_database: Callable[[], str]
) -> None:
    assert refusals(databases.powerless(fresh_database())) == 0
