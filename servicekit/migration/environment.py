"""Alembic's environment of every service: one process migrates, each migration is a transaction, and no lock is waited for long.

A statement that waits for a lock makes every later statement on the table wait behind it. So it waits for a second at most; the
runner then tries again (`servicekit.migration.runner`). No statement is ended for its length: fills of large tables take theirs.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from alembic import context
from sqlalchemy import Connection, MetaData, create_engine, pool, text

LOCK_TIMEOUT_SECONDS: Final = 1
LOCK_WAIT_SECONDS: Final = 300.0
"""How long locks are tried for in all, where the settings do not say."""

REPORT: Final = "report"
LOCK_WAIT: Final = "lock_wait_seconds"
"""Attributes of Alembic's configuration."""

_MIGRATOR_WAIT_SECONDS: Final = 3600.0
_PAUSE_SECONDS: Final = 0.25
_REPORT_SECONDS: Final = 5.0
_OWNER: Final = text("""
    SELECT pid FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::bigint << 32) | objid::bigint = :key
    LIMIT 1
""")


class MigratorBusyError(Exception):
    """Another process has migrated the database for longer than anybody waits."""


def run(metadata: MetaData, lock_key: str) -> None:
    """Run the migrations that Alembic's command has chosen, as the environment of a service.

    Args:
        metadata: The tables of the service.
        lock_key: SQL of the number by which one process at a time migrates this database.
    """
    url = context.config.get_main_option("sqlalchemy.url")
    if url is None:
        raise RuntimeError("Start migrations by `python -m SERVICE migrate`.")
    attributes = context.config.attributes
    report: Callable[[str], None] = attributes.get(REPORT, _ignore)
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as connection:
        _become_migrator(connection, lock_key, report)
        connection.execute(text(f"SET lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'"))
        connection.execute(text("SET statement_timeout = 0"))
        connection.execute(text("SET idle_in_transaction_session_timeout = 0"))
        connection.commit()
        context.configure(
            connection=connection,
            target_metadata=metadata,
            # The locks of a migration end with it, and what is done stays done when a later one has to wait.
            transaction_per_migration=True,
            on_version_apply=_reporting(report),
        )
        with context.begin_transaction():
            context.run_migrations()


def _become_migrator(connection: Connection, lock_key: str, report: Callable[[str], None]) -> None:
    """Wait until no other process migrates this database.

    The lock is tried and not waited for: a statement that waits has a snapshot, and for all of those an index that is made
    concurrently waits in turn.
    """
    key = connection.scalar(text(f"SELECT CAST({lock_key} AS bigint)"))
    deadline = time.monotonic() + _MIGRATOR_WAIT_SECONDS
    next_report = time.monotonic()
    while not connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}):
        pid = connection.scalar(_OWNER, {"key": key})
        connection.commit()
        now = time.monotonic()
        if now >= deadline:
            raise MigratorBusyError(
                f"The process {pid} of the server migrates this database and does not end. "
                f"Nothing was changed by this one."
            )
        if now >= next_report:
            report(
                f"Another process migrates this database (process {pid} of the server); waiting."
            )
            next_report = now + _REPORT_SECONDS
        time.sleep(_PAUSE_SECONDS)
    connection.commit()


def _reporting(report: Callable[[str], None]) -> Callable[..., None]:
    begun = time.monotonic()

    def applied(*, step: Any, **_context: object) -> None:
        nonlocal begun
        now = time.monotonic()
        if step.is_upgrade and not step.is_stamp:
            summary = (step.up_revision.doc or "").partition("\n")[0]
            report(f"Migration {step.up_revision_id} ({now - begun:.1f} s): {summary}")
        begun = now

    return applied


def _ignore(_sentence: str) -> None:
    """Report to nobody."""
