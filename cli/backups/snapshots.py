"""Moments of the databases: a snapshot of each, taken while nobody writes to the usage ledger."""

import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

import psycopg
from psycopg import sql

from cli.backups.archive import DatabasePart
from cli.backups.errors import BackupError
from cli.backups.locations import server_major
from cli.backups.programs import connection_arguments, postgres_program
from devstack.schemas import revision_of

_ATTEMPTS: Final = 5
_LOCK_WAIT: Final = "3s"
"""A waiter for the lock makes others wait too: so give up soon, and try again later."""

_MAX_LOCK_TIME: Final = "20s"
"""Postgres releases the lock after this time, should this process hang."""

_TABLE_LOCK_WAIT_SECONDS: Final = 30
"""A migration or a `VACUUM FULL` may hold a table that is to be dumped."""

_LOCKED_TABLES: Final = """
    SELECT format('%s (process %s %s)', locks.relation::regclass, pid, application_name)
    FROM pg_locks locks JOIN pg_class tables ON tables.oid = locks.relation
        LEFT JOIN pg_stat_activity USING (pid)
    WHERE locks.mode = 'AccessExclusiveLock' AND locks.granted AND tables.relkind IN ('r', 'p')
        AND locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY 1
"""

_TABLES: Final = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
_HAS_LEDGER: Final = "SELECT to_regclass('usage_entries') IS NOT NULL"


def rows_by_table(connection: psycopg.Connection) -> dict[str, int]:
    """Count the rows of each table of a database."""
    counts: dict[str, int] = {}
    for (table,) in connection.execute(_TABLES).fetchall():
        query = sql.SQL("SELECT count(*) FROM public.{}").format(sql.Identifier(table))
        row = connection.execute(query).fetchone()
        counts[table] = int(row[0]) if row else 0
    return counts


@contextmanager
def ledger_locked(url: str) -> Generator[None]:
    """Block writers of the usage ledger until the end of the block.

    Entries of before are committed, and so in every snapshot that is taken inside.

    Raises:
        BackupError: The ledger cannot be locked, or the block took too long.
    """
    try:
        with psycopg.connect(url, connect_timeout=5, autocommit=True) as connection:
            connection.execute(f"SET lock_timeout = '{_LOCK_WAIT}'".encode())
            longest = f"SET idle_in_transaction_session_timeout = '{_MAX_LOCK_TIME}'"
            connection.execute(longest.encode())
            if connection.execute(_HAS_LEDGER).fetchone() != (True,):
                yield  # never migrated, which the dump reports
                return
            _lock(connection)
            yield
            connection.execute("COMMIT")
    except psycopg.errors.InsufficientPrivilege as error:
        raise BackupError(
            "The role of the auth service's database may not lock the usage ledger. Use the role "
            "that owns the tables, or grant MAINTAIN on usage_entries."
        ) from error
    except psycopg.Error as error:
        raise BackupError(f"The usage ledger could not be locked: {error}") from error


def _lock(connection: psycopg.Connection) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        connection.execute("BEGIN")
        try:
            connection.execute("LOCK TABLE usage_entries IN SHARE MODE")
        except psycopg.errors.LockNotAvailable:
            connection.execute("ROLLBACK")
            if attempt == _ATTEMPTS:
                raise
        else:
            return


class Snapshot:
    """A transaction that keeps one moment of a database for pg_dump."""

    def __init__(self, name: str, url: str) -> None:
        self._name = name
        self._url = url

    def __enter__(self) -> Self:
        try:
            self._connection = psycopg.connect(self._url, connect_timeout=5)
        except psycopg.OperationalError as error:
            raise BackupError(f"The database {self._name} does not answer: {error}") from error
        self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        self._connection.execute(f"SET lock_timeout = '{_TABLE_LOCK_WAIT_SECONDS}s'".encode())
        row = self._connection.execute("SELECT pg_export_snapshot()").fetchone()
        self._id = str(row[0]) if row else ""
        return self

    def __exit__(self, *_error: object) -> None:
        self._connection.close()

    def dump(self, target: Path) -> DatabasePart:
        """Dump the database as it was at the snapshot.

        Raises:
            BackupError: It was never migrated, a table of it is locked, or pg_dump fails.
        """
        try:
            revision = revision_of(self._connection)
        except psycopg.errors.LockNotAvailable as error:
            self._connection.rollback()
            raise self._failure(str(error)) from error
        if revision is None:
            raise BackupError(f"The database {self._name} has no schema: it was never migrated.")
        arguments, environment = connection_arguments(self._url)
        command = [
            postgres_program("pg_dump"), "--format=custom", "--no-owner",
            "--no-privileges", f"--lock-wait-timeout={_TABLE_LOCK_WAIT_SECONDS}s",
            f"--snapshot={self._id}", f"--file={target}", *arguments,
        ]  # fmt: skip
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise self._failure(done.stderr.strip())
        server = str(self._connection.info.parameter_status("server_version"))
        try:
            rows = rows_by_table(self._connection)
        except psycopg.Error as error:
            self._connection.rollback()
            raise self._failure(f"its rows could not be counted: {error}") from error
        return DatabasePart(target.name, revision, server, rows)

    def _failure(self, problem: str) -> BackupError:
        """Return an error that names the tables that are locked, as pg_dump names all that it wants."""
        locked = ", ".join(row[0] for row in self._connection.execute(_LOCKED_TABLES.encode()))
        reason = f"these tables are locked by others: {locked}. {problem}" if locked else problem
        major = server_major(self._connection)
        return BackupError(f"{self._name} (Postgres {major}) was not dumped: {reason}")
