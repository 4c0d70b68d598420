"""The backup that is meant by a path, a name or `latest`: in the folder, or in the storage."""

import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from cli.backups.encryption import BackupKeys, is_encrypted
from cli.backups.errors import BackupError
from cli.backups.folder import LATEST, backups_in, find_backup
from cli.backups.storage import BackupStorage

Report = Callable[[str], None]


@contextmanager
def backup_file(
    folder: Path,
    storage: BackupStorage | None,
    name: Path,
    keys: BackupKeys,
    report: Report,
    *,
    stored_first: bool = False,
) -> Generator[Path]:
    """Give the file of a backup; one from the storage is deleted at the end of the block.

    `latest` is the newest of the folder and the storage. What is in both is taken from the folder, or with
    `stored_first` from the storage.

    Raises:
        BackupError: There is none, it cannot be had, or it was stored by somebody who does not have the key.
    """
    if storage is not None:
        report(f"Looking for {name} at {storage}")
    stored = (
        None if storage is None else _stored_name(folder, storage, name, stored_first=stored_first)
    )
    if storage is None or stored is None:
        yield find_backup(folder, name)
        return
    with tempfile.TemporaryDirectory(prefix=".sponsorgraph-") as temporary:
        report(f"Downloading {stored}")
        file = storage.download(stored, Path(temporary))
        if keys.identities and not is_encrypted(file) and not storage.takes_unencrypted:
            raise BackupError(
                f"{stored} at {storage} is not encrypted, though BACKUP_IDENTITIES is given: it may not be yours. "
                "BACKUP_S3_UNENCRYPTED=true restores it all the same."
            )
        yield file


def is_newest(folder: Path, storage: BackupStorage | None, name: Path) -> bool:
    """Return whether a path, a name or `latest` means the newest backup of the folder and the storage."""
    if name == Path(LATEST):
        return True
    copies = [] if storage is None else [copy.name for copy in storage.backups()]
    newest = max([*copies, *(path.name for path in backups_in(folder)[-1:])], default=None)
    if newest is None or name.name != newest:
        return False
    is_path = name.name != str(name)
    return not is_path or ((folder / newest).is_file() and name.samefile(folder / newest))


def _stored_name(
    folder: Path, storage: BackupStorage, name: Path, *, stored_first: bool
) -> str | None:
    """Return the name in the storage; None for what is taken from the folder."""
    if name == Path(LATEST):
        return _newest_stored(folder, storage, stored_first=stored_first)
    is_path = name.name != str(name)
    if is_path or name.is_file():
        return None
    if not (folder / name).is_file():
        return name.name
    is_stored = stored_first and name.name in {copy.name for copy in storage.backups()}
    return name.name if is_stored else None


def _newest_stored(folder: Path, storage: BackupStorage, *, stored_first: bool) -> str | None:
    """Return the newest name in the storage; None if the folder has a newer one, or that one and goes first."""
    try:
        copies = storage.backups()
    except BackupError as error:
        raise BackupError(
            f"{error}\nWhich one is the newest is not known without it. The path or name of a file in {folder} works without."
        ) from error
    if not copies:
        return None
    newest = copies[-1].name
    newest_file = next((path.name for path in reversed(backups_in(folder))), "")
    # Names sort by age.
    return newest if newest > newest_file or (stored_first and newest == newest_file) else None
