"""Restores a backup. A database is filled in one transaction: it is there whole, or as it was."""

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psycopg

from cli.backups.archive import BackupError, Manifest, manifest_of, unpack
from cli.backups.locations import DatabaseLocations
from cli.backups.programs import connection_arguments, postgres_program
from cli.backups.valkey_part import restore_stream
from devstack.schemas import known_revisions, migrations_of

_EMPTY_FIRST: Final = "SET lock_timeout = '10s'; DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
_OTHERS: Final = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
_HAS_TABLES: Final = """
    SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema'))
"""

Report = Callable[[str], None]

read_manifest = manifest_of


def restore_backup(
    source: Path, locations: DatabaseLocations, report: Report, *, force: bool
) -> Manifest:
    """Fills the databases of `locations` with a backup and brings them up to date.

    Everything is looked at before anything is changed.

    Raises:
        BackupError: The backup is damaged or of a newer version, a database is in use, or it is
            not empty and `force` is not given.
    """
    from servicekit import database  # noqa: PLC0415 - SQLAlchemy, which nothing else here needs

    manifest = manifest_of(source)
    _check_revisions(manifest)
    missing = locations.databases.keys() - manifest.databases.keys()
    if missing:
        raise BackupError(f"The backup lacks the database {', '.join(sorted(missing))}.")
    for name, url in locations.databases.items():
        _check_target(name, url, force=force)
    with tempfile.TemporaryDirectory(prefix=".sponsorgraph-") as temporary:
        folder = Path(temporary)
        report("Checking the backup")
        unpack(source, manifest, folder)
        for name, url in locations.databases.items():
            report(f"Restoring {name}")
            _fill(name, url, folder / manifest.databases[name].file)
        if locations.valkey is not None:
            report("Restoring what the usage ledger does not have yet")
            stream = manifest.usage_stream
            restore_stream(locations.valkey, None if stream is None else folder / stream)
    for name, url in locations.databases.items():
        report(f"Bringing {name} up to date")
        database.migrate(url, migrations_of(name))
    return manifest


def _check_revisions(manifest: Manifest) -> None:
    for name, part in manifest.databases.items():
        if part.revision not in known_revisions(name):
            raise BackupError(
                f"The backup has {name} at revision {part.revision}, which this version does not "
                f"know. It was made by Sponsorgraph {manifest.version}: restore it with that one."
            )


def _check_target(name: str, url: str, *, force: bool) -> None:
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            filled = connection.execute(_HAS_TABLES).fetchone() == (True,)
            others = connection.execute(_OTHERS).fetchone() or (0,)
    except psycopg.OperationalError as error:
        raise BackupError(f"The database {name} does not answer: {error}") from error
    if filled and not force:
        raise BackupError(
            f"The database {name} is not empty. With --force everything in it is replaced."
        )
    if others[0]:
        raise BackupError(f"The database {name} is in use: stop the services first.")


def _fill(name: str, url: str, dump: Path) -> None:
    script = dump.with_suffix(".sql")
    _run(
        name,
        [
            postgres_program("pg_restore"), "--no-owner", "--no-privileges",
            f"--file={script}", str(dump),
        ],
        None,
    )  # fmt: skip
    arguments, environment = connection_arguments(url)
    command = [
        postgres_program("psql"), "--no-psqlrc", "--quiet", "--single-transaction",
        "--set=ON_ERROR_STOP=1", f"--command={_EMPTY_FIRST}", f"--file={script}", *arguments,
    ]  # fmt: skip
    _run(name, command, environment)
    for done in (dump, script):
        done.unlink()


def _run(name: str, command: list[str], environment: dict[str, str] | None) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        problem = done.stderr.strip() or "no reason was told"
        raise BackupError(f"{name} was not restored and is as it was: {problem}")
