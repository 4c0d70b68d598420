"""Restores a backup. A database is filled in one transaction: it is there whole, or as it was."""

import subprocess
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import psycopg

from cli.backups.archive import Manifest, manifest_of, unpack
from cli.backups.encryption import NO_KEYS, BackupKeys, decrypt, is_encrypted
from cli.backups.errors import BackupError, DamagedBackupError
from cli.backups.in_use import check_not_in_use
from cli.backups.locations import DatabaseLocations
from cli.backups.programs import connection_arguments, postgres_program
from cli.backups.valkey_part import check_stream, restore_stream
from cli.backups.withdrawals import Withdrawals, read_withdrawals, repeated_in
from devstack.schemas import known_revisions, migrations_of

_EMPTY_FIRST: Final = (
    "SET lock_timeout = '10s'; DROP SCHEMA public CASCADE; DROP SCHEMA IF EXISTS dataset CASCADE; "
    "CREATE SCHEMA public;"
)
_HAS_TABLES: Final = """
    SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema'))
"""

_NO_ROOM: Final = "No space left on device"
_ACCOUNTS: Final = "auth"
"""The database with accounts, keys and connections."""

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored.

    Attributes:
        manifest: Of the backup.
        repeated: Deletions and revocations that were repeated, by kind; None if nothing was there that knew of any.
    """

    manifest: Manifest
    repeated: Mapping[str, int] | None


def restore_backup(
    source: Path,
    locations: DatabaseLocations,
    report: Report,
    *,
    force: bool,
    keys: BackupKeys = NO_KEYS,
    repeat: bool = True,
) -> Restored:
    """Fill the databases of `locations` with a backup and bring them up to date.

    Raises:
        BackupError: See `fill_databases`.
    """
    restored = fill_databases(source, locations, report, force=force, keys=keys, repeat=repeat)
    bring_up_to_date(locations, report)
    return restored


def fill_databases(
    source: Path,
    locations: DatabaseLocations,
    report: Report,
    *,
    force: bool,
    keys: BackupKeys = NO_KEYS,
    repeat: bool = False,
) -> Restored:
    """Fill the databases of `locations` with a backup, each at the schema that it had.

    With `repeat`, accounts that the database that is replaced knows as deleted or disabled, and keys and connections
    that it knows as revoked, are so in the restored one, too.

    Everything is looked at before anything is changed: an encrypted backup is first decrypted to its end.

    Raises:
        BackupError: The backup is damaged or of a newer version, a database is in use, or it is
            not empty and `force` is not given.
    """
    with tempfile.TemporaryDirectory(prefix=".sponsorgraph-") as temporary:
        folder = Path(temporary)
        with _plain(source, keys, report) as archive:
            manifest = manifest_of(archive)
            _check_revisions(manifest)
            missing = locations.databases.keys() - manifest.databases.keys()
            if missing:
                raise DamagedBackupError(
                    f"The backup lacks the database {', '.join(sorted(missing))}."
                )
            for name, url in locations.databases.items():
                _check_target(name, url, force=force)
            report("Checking the backup")
            unpack(archive, manifest, folder)
        url = locations.databases.get(_ACCOUNTS) if repeat else None
        withdrawals = None if url is None else read_withdrawals(url)
        repeated: Mapping[str, int] | None = None
        stream = None if manifest.usage_stream is None else folder / manifest.usage_stream
        if stream is not None:
            check_stream(stream)
        done: list[str] = []
        with _name_restored(done):
            for name, url in locations.databases.items():
                report(f"Restoring {name}")
                known = withdrawals if name == _ACCOUNTS else None
                output = _fill(name, url, folder / manifest.databases[name].file, known)
                done.append(name)
                if known is not None:
                    repeated = repeated_in(output)
            if locations.valkey is not None:
                report("Restoring what the usage ledger does not have yet")
                restore_stream(locations.valkey, stream)
    return Restored(manifest, repeated)


def bring_up_to_date(locations: DatabaseLocations, report: Report) -> None:
    """Migrate the databases to the schemas of this version."""
    from servicekit.migration.command import migrate  # noqa: PLC0415 - Alembic, which nothing else here needs

    for name, url in locations.databases.items():
        report(f"Bringing {name} up to date")
        migrate(url, migrations_of(name))


@contextmanager
def _plain(source: Path, keys: BackupKeys, report: Report) -> Generator[Path]:
    """Give the archive itself: the file, or a decrypted copy that is deleted at the end of the block."""
    if not is_encrypted(source):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix=".sponsorgraph-") as temporary:
        archive = Path(temporary) / source.name
        report("Decrypting the backup")
        decrypt(source, archive, keys)
        yield archive


@contextmanager
def _name_restored(done: Sequence[str]) -> Generator[None]:
    """Say of a restore that ended halfway which databases are restored: with the others they are of two moments."""
    try:
        yield
    except BackupError as error:
        if not done:
            raise
        raise type(error)(f"{error}\n{_restored(done)}") from error
    except (KeyboardInterrupt, SystemExit):
        if not done:
            raise
        raise BackupError(f"The restore was ended. {_restored(done)}") from None


def _restored(done: Sequence[str]) -> str:
    return f"Restored already: {', '.join(done)}. Run it again before you start the services: they are not of one moment."


def _check_revisions(manifest: Manifest) -> None:
    for name, part in manifest.databases.items():
        if part.revision not in known_revisions(name) and manifest.version == version(
            "sponsorgraph"
        ):
            raise BackupError(
                f"The backup has {name} at revision {part.revision}, which this build of Sponsorgraph "
                f"{manifest.version} does not know: another build of that version made it. Restore it with that one."
            )
        if part.revision not in known_revisions(name):
            raise BackupError(
                f"The backup has {name} at revision {part.revision}, which this version does not "
                f"know. It was made by Sponsorgraph {manifest.version}: restore it with that one."
            )


def _check_target(name: str, url: str, *, force: bool) -> None:
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            filled = connection.execute(_HAS_TABLES).fetchone() == (True,)
    except psycopg.OperationalError as error:
        raise BackupError(f"The database {name} does not answer: {error}") from error
    if filled and not force:
        raise BackupError(
            f"The database {name} is not empty. With --force everything in it is replaced."
        )
    check_not_in_use(name, url)


def _fill(name: str, url: str, dump: Path, withdrawals: Withdrawals | None) -> str:
    """Replace a database's content by a dump's, without what was withdrawn since; return what psql printed."""
    script, further = dump.with_suffix(".sql"), dump.with_suffix(".withdrawals.sql")
    further.write_text(withdrawals.script() if withdrawals else "")
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
        "--set=ON_ERROR_STOP=1", f"--command={_EMPTY_FIRST}", f"--file={script}", f"--file={further}",
        *arguments,
    ]  # fmt: skip
    output = _run(name, command, environment)
    for done in (dump, script, further):
        done.unlink()
    return output


def _run(name: str, command: list[str], environment: dict[str, str] | None) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        problem = done.stderr.strip() or "no reason was told"
        kind = BackupError if _NO_ROOM in problem else DamagedBackupError
        raise kind(f"{name} was not restored and is as it was: {problem}")
    return done.stdout
