"""Waiting at the start for a Postgres that is not there yet: bounded, and reported while it lasts."""

import asyncio
import functools
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import psycopg

from servicekit import database_pooler
from servicekit.migration.revisions import READABLE_FROM, known_revisions
from servicekit.observability import logs
from servicekit.process.start import StartError
from servicekit.settings import DatabaseSettings

_PAUSE_SECONDS: Final = 0.5
_REPORT_SECONDS: Final = 5.0
_CONNECT_SECONDS: Final = 3
_NOT_MIGRATED: Final = "it has no schema yet: migrations have not run"
_TOO_OLD: Final = (
    "it has schema {revision}, and this version needs {needed}: migrations have not run"
)
_TOO_NEW: Final = (
    "The database has schema {revision} of a newer version, and this version, which knows none after {known}, cannot read it: "
    "start that version, or restore a backup of before the upgrade."
)
_REVISION: Final = """
    SELECT version_num, obj_description('alembic_version'::regclass, 'pg_class') FROM alembic_version
"""

log = logs.get(__name__)

Report = Callable[[str], None]


class DatabaseUnreachableError(StartError):
    """A database did not respond within the wait; the message says how it failed."""


class SchemaUnreadableError(StartError):
    """Newer code has migrated the database so that this code cannot read it."""


def wait_for_database(
    url: str,
    seconds: float,
    report: Report,
    *,
    migrations: Path | None = None,
    stopped: threading.Event | None = None,
    further: Callable[[], str | None] = lambda: None,
) -> None:
    """Return once the database accepts connections, and has the schema of these `migrations` where they are given.

    Each attempt is a new connection: in a new pod the first ones are refused until the network
    policies of the other side know its address. `report` is called with the problem, at once and
    then every few seconds. `further` is asked last, and returns a problem in the same way.

    Raises:
        DatabaseUnreachableError: It did not within `seconds`.
        SchemaUnreadableError: Newer code has migrated it so that this code cannot read it.
    """
    stop = stopped or threading.Event()
    deadline = time.monotonic() + seconds
    next_report = time.monotonic()
    while (problem := _problem(url, migrations, further)) is not None:
        now = time.monotonic()
        if now >= deadline:
            raise DatabaseUnreachableError(problem)
        if now >= next_report:
            report(problem)
            next_report = now + _REPORT_SECONDS
        if stop.wait(min(_PAUSE_SECONDS, deadline - now)):
            return


async def wait_at_start(settings: DatabaseSettings, migrations: Path) -> None:
    """Wait for the service's own migrated database, within `*_DATABASE_WAIT_SECONDS`.

    Raises:
        DatabaseUnreachableError: It was not there in time.
        SchemaUnreadableError: Newer code has migrated it so that this code cannot read it.
        PoolerError: A pooler before it does not do what the service needs.
    """
    stopped = threading.Event()

    def wait() -> None:
        wait_for_database(
            settings.session_url,
            settings.database_wait_seconds,
            lambda problem: log.warning("waiting_for_database", error=problem),
            migrations=migrations,
            stopped=stopped,
            further=functools.partial(database_pooler.problem, settings),
        )

    try:
        await asyncio.to_thread(wait)
    finally:
        stopped.set()


def migrate_at_start(
    settings: DatabaseSettings, migrations: Path, arguments: Sequence[str] = ()
) -> None:
    """Upgrade the service's own database once it responds; end the process if it does not in time.

    With `--plan` only print what would be done, and end with the plan's status; `--json` prints JSON.
    """
    if set(arguments) - {"--plan", "--json"} or arguments == ["--json"]:
        _print("migrate takes --plan, and with it --json.")
        sys.exit(2)
    try:
        wait_for_database(
            settings.session_url,
            settings.database_wait_seconds,
            lambda problem: _print(f"The database does not respond yet: {problem}"),
        )
    except DatabaseUnreachableError as error:
        _print(f"The database did not respond within {settings.database_wait_seconds:g} s: {error}")
        sys.exit(1)
    if arguments:
        from servicekit.migration import plan_command  # noqa: PLC0415

        plan_command.print_and_exit(settings, migrations, as_json="--json" in arguments)
    # Here, as services and the operator's command wait too, and have no use for Alembic.
    from servicekit.migration import command  # noqa: PLC0415

    command.migrate_or_exit(settings, migrations)


def _print(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def _problem(url: str, migrations: Path | None, further: Callable[[], str | None]) -> str | None:
    """Return why the database cannot be used now, None if it can."""
    try:
        with psycopg.connect(url, connect_timeout=_CONNECT_SECONDS) as connection:
            problem = None if migrations is None else _schema_problem(connection, migrations)
        return problem or further()
    except psycopg.OperationalError as error:
        return " ".join(str(error).split())


def _schema_problem(connection: psycopg.Connection, migrations: Path) -> str | None:
    """Return what the schema lacks for this code, None if nothing.

    Without Alembic, whose packages cost a service that serves memory and time.
    """
    exists = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
    if exists is None or exists[0] is None:
        return _NOT_MIGRATED
    row = connection.execute(_REVISION).fetchone()
    if row is None:
        return _NOT_MIGRATED
    revision, comment = str(row[0]), str(row[1] or "")
    known = known_revisions(migrations)
    if revision in known:
        needed = known[-1]
        return None if revision == needed else _TOO_OLD.format(revision=revision, needed=needed)
    if comment.removeprefix(READABLE_FROM) not in known:
        raise SchemaUnreadableError(_TOO_NEW.format(revision=revision, known=known[-1]))
    return None
