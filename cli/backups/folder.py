"""The folder of backups: names of new ones, the one that is meant, and which are too old."""

import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cli.backups.errors import BackupError

LATEST: Final = "latest"
_BACKUPS: Final = ("sponsorgraph-*.tar", "sponsorgraph-*.tar.age")
_REMAINS: Final = ".sponsorgraph-*"
_DAY: Final = 86_400.0


def new_backup(folder: Path, now: datetime, *, encrypted: bool = False) -> Path:
    """Return where a backup of this moment goes; names sort by age."""
    ending = "tar.age" if encrypted else "tar"
    return folder / f"sponsorgraph-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}.{ending}"


def find_backup(folder: Path, name: Path) -> Path:
    """Return the backup that is meant by a path, by a name in the folder, or by `latest`.

    Raises:
        BackupError: There is none; the message names those that there are.
    """
    found = backups_in(folder)
    if name == Path(LATEST) and found:
        return found[-1]
    for path in (name, folder / name):
        if path.is_file():
            return path
    there = ", ".join(path.name for path in found) or "none"
    raise BackupError(f"There is no backup {name}. In {folder.resolve()} there are: {there}.")


def backups_in(folder: Path) -> list[Path]:
    """Return the backups of a folder, oldest first."""
    found = [path for pattern in _BACKUPS for path in folder.glob(pattern)]
    return sorted(found, key=lambda path: (path.stat().st_mtime, path.name))


def discard_old(folder: Path, days: int) -> list[Path]:
    """Delete the backups that are `days` days old, and what killed runs left; never the newest."""
    now = time.time()
    for left in folder.glob(_REMAINS):
        if now - left.stat().st_mtime > _DAY:
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    old = [path for path in backups_in(folder)[:-1] if now - path.stat().st_mtime >= days * _DAY]
    for path in old:
        path.unlink()
    return old
