"""The file of a backup says what is wrong with it."""

import io
import tarfile
from pathlib import Path

import msgspec
import pytest

from cli.backups.archive import (
    BackupError,
    DatabasePart,
    Manifest,
    manifest_of,
    pack,
    part_of,
    unpack,
)

BLOCK = 512


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """Return a backup of two parts."""
    (tmp_path / "auth.dump").write_bytes(b"x" * 3_000)
    (tmp_path / "usage.json").write_bytes(b"y" * 700)
    files = {name: part_of(tmp_path / name) for name in ("auth.dump", "usage.json")}
    databases = {"auth": DatabasePart("auth.dump", "0001", "18.0")}
    manifest = Manifest(1, "0.1.0", "2026-11-23", "18.0", databases, "usage.json", files)
    pack(tmp_path / "backup.tar", manifest, tmp_path)
    return tmp_path / "backup.tar"


def test_wherever_a_backup_is_cut_off_it_is_called_so(backup: Path, tmp_path: Path) -> None:
    """Also within the name of its first part, and exactly where one part ends."""
    whole = backup.read_bytes()
    end = whole.rindex(b"y")
    for length in {*range(13), *range(0, end, 97), *range(0, end, BLOCK)}:
        backup.write_bytes(whole[:length])
        with pytest.raises(BackupError, match="it was cut off"):
            unpack(backup, manifest_of(backup), tmp_path)
    backup.write_bytes(whole)
    unpack(backup, manifest_of(backup), tmp_path)


def test_a_whole_archive_without_a_part_lacks_it(backup: Path, tmp_path: Path) -> None:
    manifest = manifest_of(backup)
    manifest.files["catalog.dump"] = manifest.files["auth.dump"]
    with pytest.raises(BackupError, match=r"lacks catalog\.dump"):
        unpack(backup, manifest, tmp_path)


@pytest.mark.parametrize("name", ["/etc/passwd", "../auth.dump", "folder/auth.dump", "..", ".", ""])
@pytest.mark.parametrize("field", ["file", "usage_stream", "files"])
def test_a_manifest_that_names_other_files_than_its_parts_is_refused(
    backup: Path, tmp_path: Path, name: str, field: str
) -> None:
    manifest = manifest_of(backup)
    part = manifest.files["auth.dump"]
    changes = {
        "file": {"databases": {"auth": DatabasePart(name, "0001", "18.0")}},
        "usage_stream": {"usage_stream": name},
        "files": {"files": {**manifest.files, name: part}},
    }
    forged = msgspec.structs.replace(manifest, **changes[field])
    made = tmp_path / "forged.tar"
    with tarfile.open(made, "w") as archive:
        text = msgspec.json.encode(forged)
        entry = tarfile.TarInfo("manifest.json")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    with pytest.raises(BackupError, match="none of its parts"):
        manifest_of(made)
