"""Migrations beside a working service: others wait for them a second at most, and they for others for as long as is set."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from alembic import command
from psycopg import errors

from devstack.schemas import migrations_of
from servicekit.migration import configuration
from servicekit.migration.command import migrate
from servicekit.migration.runner import MigrationLockError
from tests.integration.servicekit.own_migrations import sql, write

CREATE: Final = sql(
    "CREATE TABLE things (id bigint PRIMARY KEY, touched integer NOT NULL DEFAULT 0)",
    "INSERT INTO things SELECT generate_series(1, 1000)",
    "ANALYZE things",
)
WRITER: Final = "LOCK TABLE things IN ROW EXCLUSIVE MODE"
WAITS: Final = "SELECT 1 FROM pg_locks WHERE NOT granted"
ALTER: Final = sql("ALTER TABLE things ADD COLUMN further text")


@contextmanager
def transaction(
    url: str, statement: str, name: str = "a report"
) -> Generator[psycopg.Connection[Any]]:
    """A transaction that has the locks of a statement until the block ends."""
    with psycopg.connect(url, application_name=name) as connection:
        connection.execute(statement.encode())
        yield connection
        connection.rollback()


def fetch(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, options="-c statement_timeout=15000") as connection:
        return connection.execute(query.encode()).fetchall()


@pytest.fixture
def things(fresh_database: Callable[[], str], tmp_path: Path) -> tuple[str, Path]:
    """A database with one table, and the folder of its migrations."""
    url, folder = fresh_database(), write(tmp_path, CREATE)
    migrate(url, folder)
    return url, folder


def test_readers_go_on_while_a_migration_waits_for_a_long_transaction(
    things: tuple[str, Path],
) -> None:
    url, folder = things
    write(folder, ALTER)
    attempts = itertools.count(1)
    ended = threading.Event()
    second_attempt = threading.Event()

    def report(_sentence: str) -> None:
        if next(attempts) == 2:
            second_attempt.set()

    def read() -> float:
        """Return the longest that a reader waited, in seconds."""
        longest = 0.0
        while not ended.is_set():
            begun = time.monotonic()
            assert fetch(url, "SELECT count(*) FROM things") == [(1000,)]
            longest = max(longest, time.monotonic() - begun)
        return longest

    with ThreadPoolExecutor() as pool:
        with transaction(url, "SELECT count(*) FROM things"):
            reading = pool.submit(read)
            migrating = pool.submit(migrate, url, folder, report)
            assert second_attempt.wait(30)
            assert not migrating.done()
        migrating.result(60)
        ended.set()
        longest = reading.result(30)
    assert 0.3 < longest < 10, "readers waited behind the migration, and not for long"
    assert fetch(url, "SELECT further FROM things LIMIT 1") == [(None,)]


def test_a_lock_that_is_not_had_in_time_ends_the_run_with_who_has_it(
    things: tuple[str, Path],
) -> None:
    url, folder = things
    write(folder, sql("CREATE TABLE more (id int)"), ALTER)
    with transaction(url, "SELECT count(*) FROM things") as holder:
        pid = holder.info.backend_pid
        expected = (
            rf"within 0 s: process {pid} of the server, a report uses the table things, for \d+ s"
        )
        with pytest.raises(MigrationLockError, match=expected):
            migrate(url, folder, lock_wait_seconds=0)
    # What was done before the lock was needed is done, and nothing is half done.
    assert fetch(url, "SELECT version_num FROM alembic_version") == [("0002",)]
    assert fetch(url, "SELECT count(*) FROM more") == [(0,)]
    migrate(url, folder)
    assert fetch(url, "SELECT version_num FROM alembic_version") == [("0003",)]


def test_the_command_of_a_service_says_so_without_a_traceback(
    fresh_database: Callable[[], str],
) -> None:
    url = fresh_database()
    config, _ = configuration.of(url, migrations_of("auth"))
    command.upgrade(config, "0013")
    own = {
        "AUTH_DATABASE_URL": url,
        "AUTH_VALKEY_URL": "redis://127.0.0.1:1/0",
        "AUTH_GRPC_TOKEN": "t" * 32,
        "AUTH_TOKEN_SECRET": "t" * 32,
        "AUTH_MIGRATION_LOCK_WAIT_SECONDS": "0",
    }
    arguments = [sys.executable, "-m", "auth_service", "migrate"]

    def run_migrate() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            arguments, env=os.environ | own, capture_output=True, text=True, check=False, timeout=60
        )

    with transaction(url, "LOCK TABLE oauth_grants IN ACCESS SHARE MODE"):
        done = run_migrate()
    assert done.returncode == 1
    assert "uses the table oauth_grants" in done.stderr
    assert "Traceback" not in done.stderr
    done = run_migrate()
    assert done.returncode == 0
    assert "Migration 0014 (" in done.stderr


def test_no_statement_of_a_migration_is_ended_for_its_length(things: tuple[str, Path]) -> None:
    url, folder = things
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER ROLE CURRENT_USER SET statement_timeout = '100ms'")
    with pytest.raises(errors.QueryCanceled), psycopg.connect(url) as connection:
        connection.execute("SELECT pg_sleep(0.3)")
    migrate(url, write(folder, sql("SELECT pg_sleep(0.3)")))
    assert fetch(url, "SELECT version_num FROM alembic_version") == [("0002",)]


def test_of_two_processes_one_migrates_and_the_other_finds_nothing_to_do(
    things: tuple[str, Path],
) -> None:
    url, folder = things
    write(folder, "create_index_concurrently('things_touched', 'things', '(touched)')")
    program = (
        "import sys; from pathlib import Path; from servicekit.migration.command import migrate; "
    )
    program += f"migrate({url!r}, Path({str(folder)!r}), print)"
    with ThreadPoolExecutor() as pool:
        # The index waits for this transaction, so that the second process comes while the first is at it.
        with transaction(url, WRITER):
            first = pool.submit(migrate, url, folder)
            while not fetch(url, WAITS):
                assert not first.done()
            second = subprocess.Popen(
                [sys.executable, "-u", "-c", program], stdout=subprocess.PIPE, text=True
            )
            assert second.stdout is not None
            line = second.stdout.readline()
            assert "Another process migrates this database (process " in line
        first.result(30)
        rest = second.communicate(timeout=60)[0]
    assert second.returncode == 0
    assert "Migration" not in rest
    assert fetch(
        url, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'things_touched'::regclass"
    ) == [(True,)]


def test_an_index_is_made_while_others_write_and_one_that_failed_is_made_anew(
    things: tuple[str, Path],
) -> None:
    url, folder = things
    write(folder, "create_index_concurrently('things_once', 'things', '(touched)', unique=True)")
    with pytest.raises(Exception, match="could not create unique index"):
        migrate(url, folder)
    assert fetch(
        url, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'things_once'::regclass"
    ) == [(False,)]
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE things SET touched = id")
    with ThreadPoolExecutor() as pool:
        with transaction(url, WRITER):
            migrating = pool.submit(migrate, url, folder)
            while not fetch(url, WAITS):
                assert not migrating.done()
            with psycopg.connect(url, options="-c statement_timeout=15000") as connection:
                connection.execute("INSERT INTO things VALUES (1001, 1001)")
        migrating.result(30)
    assert fetch(
        url, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'things_once'::regclass"
    ) == [(True,)]


def test_a_fill_goes_on_behind_the_last_batch_of_a_run_that_was_interrupted(
    things: tuple[str, Path],
) -> None:
    url, folder = things
    statement = (
        "UPDATE things SET touched = touched + 1 / (CASE WHEN id = 777 AND touched = 0 THEN 0 ELSE 1 END) "
        "WHERE id BETWEEN :first AND :last"
    )
    write(folder, f"fill_in_batches('0002', 'things', {statement!r}, batch_rows=100)")
    reports: list[str] = []
    with pytest.raises(Exception, match="division by zero"):
        migrate(url, folder, reports.append)
    assert reports[-1] == "Migration 0002: 700 of some 1000 rows of things"
    assert fetch(url, "SELECT count(*) FROM things WHERE touched = 1") == [(700,)]
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE things SET touched = 1 WHERE id = 777")
    reports.clear()
    migrate(url, folder, reports.append)
    assert reports[0] == "Migration 0002: 800 of some 1000 rows of things"
    assert fetch(url, "SELECT touched, count(*) FROM things GROUP BY 1 ORDER BY 1") == [
        (1, 999),
        (2, 1),
    ]
    assert fetch(url, "SELECT to_regclass('migration_progress')") == [(None,)]


def test_a_fill_goes_over_keys_that_are_texts(things: tuple[str, Path]) -> None:
    url, folder = things
    write(
        folder,
        sql(
            "CREATE TABLE names (name text PRIMARY KEY, size int)",
            "INSERT INTO names SELECT 'n' || generate_series(1, 25)",
        ),
        "fill_in_batches('0003', 'names', 'UPDATE names SET size = length(name) "
        "WHERE name BETWEEN :first AND :last', key='name', batch_rows=10)",
    )
    migrate(url, folder)
    assert fetch(url, "SELECT count(*) FROM names WHERE size = length(name)") == [(25,)]
