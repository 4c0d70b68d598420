"""`sponsorgraph backup list` and `sponsorgraph backup upload`: the files, and their copies in the storage."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.status import Status
from rich.table import Table
from rich.text import Text

from cli.backups import BackupError
from cli.backups.encryption import is_encrypted
from cli.backups.folder import LATEST, backups_in, find_backup
from cli.backups.storage import BackupStorage, StoredBackup, open_storage
from cli.commands._backup_shell import ValkeyUrl, folder, named_valkey, readable, record
from cli.commands._shell import err, id_column, out, print_error, print_table, print_warning
from cli.text import one_line
from servicekit import timestamps


def list_backups(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List the backups of the folder and of the storage, oldest first.

    While the storage is away, those of the folder are listed, and the command ends with 1.
    """
    with readable():
        storage = open_storage(briefly=True)
        files = {path.name: path.stat() for path in backups_in(folder())}
        copies, problem = _copies(storage)
    rows = [_row(name, files.get(name), copies.get(name)) for name in sorted({*files, *copies})]
    if problem is not None:
        for row in rows:
            row["in_storage"] = None
    if as_json:
        out.print_json(data=rows)
    else:
        _print_rows(rows)
    if problem is not None:
        print_error(f"The storage is left out: {problem}")
        raise typer.Exit(1)


def _copies(storage: BackupStorage | None) -> tuple[Mapping[str, StoredBackup], str | None]:
    """Return the copies by name, and why there are none."""
    if storage is None:
        return {}, None
    try:
        return {copy.name: copy for copy in storage.backups()}, None
    except BackupError as error:
        return {}, str(error)


def _print_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    table = Table(id_column("name"), "made", "MB", "folder", "storage")
    marks = {True: "yes", False: "", None: "?"}
    for row in rows:
        cells = (marks[row[key]] for key in ("in_folder", "in_storage"))
        table.add_row(row["name"], row["made_at"], f"{row['bytes'] / 1e6:.1f}", *cells)
    print_table(table)


def _row(name: str, file: os.stat_result | None, copy: StoredBackup | None) -> dict[str, Any]:
    made, size = (None, 0) if copy is None else (copy.stored_at, copy.size)
    if file is not None:
        made, size = datetime.fromtimestamp(file.st_mtime, UTC), file.st_size
    return {
        "name": name,
        "made_at": timestamps.to_optional_text(made and made.replace(microsecond=0)),
        "bytes": size,
        "in_folder": file is not None,
        "in_storage": copy is not None,
    }


def upload_backup(
    name: Annotated[
        Path, typer.Argument(help="A file, or a name in SPONSORGRAPH_BACKUP_FOLDER.")
    ] = Path(LATEST),
    *,
    valkey_url: ValkeyUrl = None,
) -> None:
    """Copy a backup of the folder to the storage; nothing is done where it is there already."""
    with readable():
        storage = open_storage()
        if storage is None:
            raise BackupError("BACKUP_S3_BUCKET names no storage.")
        source = find_backup(folder(), name)
        check_encryption(storage, encrypted=is_encrypted(source))
        copy_to(storage, source)
        record(named_valkey(valkey_url), source.stat().st_mtime)


def check_encryption(storage: BackupStorage | None, *, encrypted: bool) -> None:
    """Refuse to copy what everybody who reads the storage could read.

    Raises:
        BackupError: It is not encrypted, and that is not allowed.
    """
    if storage is None or encrypted or storage.takes_unencrypted:
        return
    raise BackupError(
        "A backup that is not encrypted is not copied to a storage: name a key by BACKUP_RECIPIENTS or "
        "BACKUP_IDENTITIES (`sponsorgraph backup generate-key`), or set BACKUP_S3_UNENCRYPTED=true."
    )


def copy_to(storage: BackupStorage, source: Path) -> None:
    """Copy a backup to the storage, and delete the copies there that are too old.

    Raises:
        BackupError: It is not copied. That old copies are not deleted is only reported.
    """
    with Status(Text(f"Uploading {one_line(source.name)}"), console=err):
        is_new = storage.upload(source)
    out.print(f"{source.name} is at {storage}{'' if is_new else ' already'}.", soft_wrap=True)
    try:
        for old in storage.discard_old(datetime.now(UTC)):
            out.print(f"{old} at {storage} was too old and is deleted.", soft_wrap=True)
    except BackupError as error:
        print_warning("Old copies are not deleted:", str(error))
