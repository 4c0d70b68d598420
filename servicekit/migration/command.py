"""Upgrading a database by the migrations of its service.

A service that serves does not import this: Alembic costs memory and time at its start.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import sqlalchemy

from servicekit.database_url import driver_url
from servicekit.migration import configuration, role_parameters, runner, schema_versions
from servicekit.migration.environment import MigratorBusyError
from servicekit.migration.role_parameters import RoleParametersError
from servicekit.migration.runner import MigrationLockError, Report
from servicekit.migration.schema_versions import SchemaTooNewError
from servicekit.settings import DatabaseSettings
from servicekit.settings_errors import EXIT_STATUS


def migrate(
    url: str,
    migrations: Path,
    report: Report = lambda _sentence: None,
    lock_wait_seconds: float = 300.0,
) -> str | None:
    """Upgrade the database at `url` to the newest revision in the folder `migrations`.

    Where newer code has migrated it already and this code can read it, nothing is done; then return a sentence that says so.

    Raises:
        SchemaTooNewError: Newer code has migrated it so that this code cannot read it.
        MigrationLockError: A transaction of somebody else had a lock for too long.
    """
    config, scripts = configuration.of(url, migrations)
    engine = sqlalchemy.create_engine(driver_url(url), poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        found = schema_versions.find(connection)
        if schema_versions.is_newer_and_readable(found, scripts):
            newer = found.revision if found else ""
            return f"The database has schema {newer} of a newer version, which this version can read: nothing to migrate."
        # Before the migrations, as well: the stricter of two declarations is in place while they run.
        schema_versions.write(connection, scripts)
    runner.upgrade(config, url, report, runner.LockWait(lock_wait_seconds))
    with engine.begin() as connection:
        schema_versions.write(connection, scripts)
    return None


def migrate_or_exit(settings: DatabaseSettings, migrations: Path) -> None:
    """Migrate a service's own database as a process of its own does, with the role's parameters."""

    def upgrade(report: Report) -> str | None:
        if changed := role_parameters.write(settings):
            report(changed)
        wait = settings.migration_lock_wait_seconds
        return migrate(settings.session_url, migrations, report, wait)

    run_or_exit(upgrade)


def run_or_exit(upgrade: Callable[[Report], str | None]) -> None:
    """Run an upgrade that reports to standard error, and print what it returns.

    Where it fails say what was not done, and end the process: with status 78 where this code is too old for the database, else 1.
    """

    def report(sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()

    try:
        message = upgrade(report)
    except SchemaTooNewError as error:
        report(str(error))
        sys.exit(EXIT_STATUS)
    except (MigrationLockError, MigratorBusyError, RoleParametersError) as error:
        report(str(error))
        sys.exit(1)
    if message:
        report(message)
