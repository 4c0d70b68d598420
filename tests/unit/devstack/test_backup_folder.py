"""Which backup is meant, and which are deleted."""

import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli.backups import BackupError
from cli.backups.folder import discard_old, find_backup, new_backup

DAY = 86_400


def aged(folder: Path, name: str, days: float) -> Path:
    path = folder / name
    path.write_text(name)
    then = time.time() - days * DAY
    os.utime(path, (then, then))
    return path


def test_a_new_backup_is_named_by_its_moment(tmp_path: Path) -> None:
    moment = datetime(2026, 11, 21, 2, 17, 5, tzinfo=UTC)
    assert new_backup(tmp_path, moment) == tmp_path / "sponsorgraph-20261121T021705Z.tar"


def test_a_backup_is_found_by_path_by_name_and_as_the_latest(tmp_path: Path) -> None:
    older = aged(tmp_path, "sponsorgraph-b.tar", 2)
    newer = aged(tmp_path, "sponsorgraph-a.tar", 1)
    aged(tmp_path, "notes.txt", 0)
    assert find_backup(Path("/nowhere"), older) == older
    assert find_backup(tmp_path, Path("sponsorgraph-b.tar")) == older
    assert find_backup(tmp_path, Path("latest")) == newer


def test_a_backup_that_is_missing_is_said_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="none"):
        find_backup(tmp_path, Path("latest"))
    aged(tmp_path, "sponsorgraph-a.tar", 1)
    with pytest.raises(BackupError, match=r"no backup b\.tar.*sponsorgraph-a\.tar"):
        find_backup(tmp_path, Path("b.tar"))


def test_old_backups_and_what_killed_runs_left_are_deleted_and_nothing_else(tmp_path: Path) -> None:
    old = aged(tmp_path, "sponsorgraph-old.tar", 14.1)
    left = aged(tmp_path, ".sponsorgraph-old.tar-x", 2)
    unpacked = tmp_path / ".sponsorgraph-unpacked"
    unpacked.mkdir()
    aged(unpacked, "part", 3)
    os.utime(unpacked, (0, 0))
    others = {
        aged(tmp_path, "sponsorgraph-young.tar", 13.9),
        aged(tmp_path, ".sponsorgraph-new.tar-x", 0.1),
        aged(tmp_path, "notes.txt", 100),
    }
    assert discard_old(tmp_path, 14) == [old]
    assert not left.exists()
    assert set(tmp_path.iterdir()) == others


def test_the_newest_backup_stays_however_old_it_is(tmp_path: Path) -> None:
    aged(tmp_path, "sponsorgraph-a.tar", 90)
    newest = aged(tmp_path, "sponsorgraph-b.tar", 60)
    discard_old(tmp_path, 14)
    assert list(tmp_path.iterdir()) == [newest]


def test_a_file_from_elsewhere_that_is_put_there_by_the_page_is_no_backup_of_this_installation(
    tmp_path: Path,
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "operations.md").read_text()
    (name,) = re.findall(r"cat > /backups/(\S+?)'", page)
    own = tmp_path / "sponsorgraph-20261121T021700Z.tar"
    own.touch()
    os.utime(own, (1, 1))
    (tmp_path / name).touch()
    assert find_backup(tmp_path, Path("latest")) == own
    assert find_backup(tmp_path, Path(name)) == tmp_path / name
