"""Makes a backup while everything runs."""

import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from cli.backups.archive import FORMAT, DatabasePart, Manifest, pack, part_of
from cli.backups.encryption import NO_KEYS, BackupKeys
from cli.backups.locations import DatabaseLocations
from cli.backups.programs import postgres_program
from cli.backups.snapshots import Snapshot, ledger_locked
from cli.backups.valkey_part import stream_copy
from servicekit import timestamps

_STREAM_FILE: Final = "usage_stream.jsonl"
_LEDGER: Final = "auth"
"""The database with the usage ledger."""

Report = Callable[[str], None]


def make_backup(
    locations: DatabaseLocations, target: Path, report: Report, keys: BackupKeys = NO_KEYS
) -> Manifest:
    """Write a backup of all databases to `target`, encrypted where the keys have recipients.

    Snapshots of all databases are taken before the first is dumped, so that they are of the same
    moment, and the ledger rests while they are taken and Valkey's entries are read: every call that
    was charged until then is in one of the two. One that is in both counts once. The dumps are made
    in a hidden folder beside the target, as it has to have the room for them anyway.

    Raises:
        BackupError: A database does not respond, was never migrated, or cannot be dumped.
    """
    with ExitStack() as stack:
        beside = tempfile.TemporaryDirectory(dir=target.resolve().parent, prefix=f".{target.name}-")
        folder = Path(stack.enter_context(beside))
        snapshots = _take_moment(stack, locations, folder / _STREAM_FILE, report)
        databases: dict[str, DatabasePart] = {}
        for name, snapshot in snapshots.items():
            report(f"Dumping {name}")
            databases[name] = snapshot.dump(folder / f"{name}.dump")
        files = [part.file for part in databases.values()]
        if locations.valkey is not None:
            files.append(_STREAM_FILE)
        manifest = Manifest(
            format=FORMAT,
            version=version("sponsorgraph"),
            created_at=timestamps.to_text(datetime.now(UTC).replace(microsecond=0)),
            pg_dump=_version_of_pg_dump(),
            databases=databases,
            usage_stream=_STREAM_FILE if locations.valkey is not None else None,
            files={name: part_of(folder / name) for name in files},
        )
        pack(target, manifest, folder, keys)
        return manifest


def _take_moment(
    stack: ExitStack, locations: DatabaseLocations, stream_file: Path, report: Report
) -> dict[str, Snapshot]:
    """Snapshots of all databases, kept as long as `stack`, and what waits in Valkey beside them."""

    def snapshots() -> dict[str, Snapshot]:
        return {
            name: stack.enter_context(Snapshot(name, url))
            for name, url in locations.databases.items()
        }

    if locations.valkey is None:
        return snapshots()
    report("Reading what the usage ledger does not have yet")
    with stream_copy(locations.valkey, stream_file) as read_stream:
        read_stream()  # nearly all of it, before anybody has to wait
        with ledger_locked(locations.databases[_LEDGER]):
            taken = snapshots()
            read_stream()
    return taken


def _version_of_pg_dump() -> str:
    command = [postgres_program("pg_dump"), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
