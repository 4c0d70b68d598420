"""Makes a backup while everything runs."""

import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final, Self

import psycopg

from local_stack.backups.archive import (
    FORMAT,
    BackupError,
    DatabasePart,
    Manifest,
    pack,
    part_of,
)
from local_stack.backups.places import (
    Places,
    connection_arguments,
    postgres_program,
    server_major,
)
from local_stack.backups.valkey_part import save_stream
from local_stack.schemas import revision_of

_STREAM_FILE: Final = "usage_stream.jsonl"

Say = Callable[[str], None]


def make_backup(places: Places, target: Path, say: Say) -> Manifest:
    """Writes a backup of all databases to `target`.

    Snapshots of all databases are taken before the first is dumped, so that they are of the same
    moment. Valkey's entries are read after them: one that is in both counts once.

    Raises:
        BackupError: A database does not answer, was never migrated, or cannot be dumped.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sponsorgraph-")))
        snapshots = {
            name: stack.enter_context(_Snapshot(name, url))
            for name, url in places.databases.items()
        }
        databases: dict[str, DatabasePart] = {}
        for name, snapshot in snapshots.items():
            say(f"Dumping {name}")
            databases[name] = snapshot.dump(folder / f"{name}.dump")
        files = [part.file for part in databases.values()]
        if places.valkey is not None:
            say("Reading what the usage ledger does not have yet")
            save_stream(places.valkey, folder / _STREAM_FILE)
            files.append(_STREAM_FILE)
        manifest = Manifest(
            format=FORMAT,
            version=version("sponsorgraph"),
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            pg_dump=_version_of_pg_dump(),
            databases=databases,
            usage_stream=_STREAM_FILE if places.valkey is not None else None,
            files={name: part_of(folder / name) for name in files},
        )
        pack(target, manifest, folder)
        return manifest


class _Snapshot:
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
        row = self._connection.execute("SELECT pg_export_snapshot()").fetchone()
        self._id = str(row[0]) if row else ""
        return self

    def __exit__(self, *_error: object) -> None:
        self._connection.close()

    def dump(self, target: Path) -> DatabasePart:
        revision = revision_of(self._connection)
        if revision is None:
            raise BackupError(f"The database {self._name} has no schema: it was never migrated.")
        arguments, environment = connection_arguments(self._url)
        command = [
            postgres_program("pg_dump"), "--format=custom", "--no-owner",
            "--no-privileges", f"--snapshot={self._id}", f"--file={target}", *arguments,
        ]  # fmt: skip
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BackupError(
                f"{self._name} (Postgres {server_major(self._connection)}) was not dumped: "
                f"{done.stderr.strip()}"
            )
        server = str(self._connection.info.parameter_status("server_version"))
        return DatabasePart(target.name, revision, server)


def _version_of_pg_dump() -> str:
    command = [postgres_program("pg_dump"), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
