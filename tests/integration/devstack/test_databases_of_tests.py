"""Databases of tests that are copied from a migrated one are as those that were migrated themselves."""

import psycopg
import pytest

from auth_service import MIGRATIONS
from servicekit.migration.command import migrate
from tests.databases import Databases

OWNERS = """
    SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace
"""
TABLES = "SELECT relname, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace"


def test_a_copy_has_the_tables_and_they_are_its_own_roles(databases: Databases) -> None:
    migrated = databases.empty()
    migrate(migrated, MIGRATIONS)
    with psycopg.connect(migrated) as connection:
        expected = set(connection.execute(TABLES))
    for url in (databases.migrated(MIGRATIONS), databases.migrated(MIGRATIONS)):
        with psycopg.connect(url) as connection:
            assert set(connection.execute(TABLES)) == expected
            (owner,) = connection.execute(OWNERS)
            assert owner == (connection.info.user,)
        migrate(url, MIGRATIONS)  # nothing to do, and nothing that its role may not


def test_what_is_written_to_a_copy_reaches_no_other(databases: Databases) -> None:
    first = databases.migrated(MIGRATIONS)
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE of_a_test ()")
    with (
        psycopg.connect(databases.migrated(MIGRATIONS)) as connection,
        pytest.raises(psycopg.errors.UndefinedTable),
    ):
        connection.execute("SELECT FROM of_a_test")


def test_the_role_of_a_copy_may_nothing_in_another(databases: Databases) -> None:
    first, second = databases.migrated(MIGRATIONS), databases.migrated(MIGRATIONS)
    stranger = first.rpartition("/")[0] + "/" + second.rpartition("/")[2]
    with (
        psycopg.connect(stranger) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("SELECT FROM accounts")
