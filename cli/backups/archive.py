"""The file of a backup: a tar with a manifest first, then its parts."""

import hashlib
import io
import re
import tarfile
from pathlib import Path
from typing import Any, Final

import msgspec

from cli.backups.encryption import NO_KEYS, BackupKeys, encrypted
from cli.backups.errors import BackupError, DamagedBackupError
from devstack.files import atomic_file

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
_CHUNK: Final = 1 << 20
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Part(msgspec.Struct, frozen=True):
    """One file of the backup."""

    bytes: int
    sha256: str


class DatabasePart(msgspec.Struct, frozen=True):
    """The state of one database when it was dumped."""

    file: str
    revision: str
    server_version: str
    rows: dict[str, int] | None = None
    """Rows by table at that moment; None in backups of versions that did not count them."""


class Manifest(msgspec.Struct, frozen=True):
    """The manifest of a backup."""

    format: int
    version: str
    created_at: str
    pg_dump: str
    databases: dict[str, DatabasePart]
    usage_stream: str | None
    files: dict[str, Part]


def part_of(path: Path) -> Part:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return Part(path.stat().st_size, digest.hexdigest())


def pack(target: Path, manifest: Manifest, folder: Path, keys: BackupKeys = NO_KEYS) -> None:
    """Write the archive, readable by its owner alone; it is there whole or not at all.

    A part is deleted once it is in the archive: no more room is needed than for one of them twice.
    """
    with (
        atomic_file(target) as file,
        encrypted(file, keys) as content,
        tarfile.open(fileobj=content, mode="w|") as archive,
    ):
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        entry = tarfile.TarInfo(MANIFEST)
        entry.size, entry.mode = len(text), 0o600
        archive.addfile(entry, io.BytesIO(text))
        for name in manifest.files:
            archive.add(folder / name, arcname=name, recursive=False)
            (folder / name).unlink()


def manifest_of(source: Path) -> Manifest:
    """Return the manifest of an archive.

    Raises:
        BackupError: It is none, or one of a kind that this version does not know.
    """
    if not source.stat().st_size:
        raise DamagedBackupError(f"{source} is empty: it was cut off.")
    if _ends_in_the_manifest(source):
        raise DamagedBackupError(f"{source} ends in the middle of {MANIFEST}: it was cut off.")
    try:
        with tarfile.open(source) as archive:
            # It is the first: looking for it by its name would read on to a missing end.
            first = archive.next()
            member = archive.extractfile(first) if first and first.name == MANIFEST else None
            text = member.read() if member else b""
        manifest = msgspec.json.decode(text, type=Manifest)
    except (tarfile.TarError, msgspec.DecodeError) as error:
        raise DamagedBackupError(f"{source} is not a backup of Sponsorgraph.") from error
    if manifest.format != FORMAT:
        raise BackupError(
            f"{source} is a backup of format {manifest.format}; this version reads {FORMAT}."
        )
    _check_names(source, manifest)
    return manifest


def _check_names(source: Path, manifest: Manifest) -> None:
    """Refuse names of files that lead out of the folder in which the parts are unpacked."""
    stream = () if manifest.usage_stream is None else (manifest.usage_stream,)
    named = [part.file for part in manifest.databases.values()]
    for name in (*manifest.files, *named, *stream):
        if name not in manifest.files or _PLAIN_NAME.fullmatch(name) is None:
            raise DamagedBackupError(
                f"{source} is not a backup of Sponsorgraph: its manifest names {name!r}, which is none of its parts."
            )


def _ends_in_the_manifest(source: Path) -> bool:
    with source.open("rb") as file:
        header = file.read(tarfile.BLOCKSIZE)
    name = MANIFEST.encode()
    if not header.startswith(name[: len(header)]):
        return False
    if len(header) < tarfile.BLOCKSIZE:
        return True
    try:
        entry = tarfile.TarInfo.frombuf(header, tarfile.ENCODING, "strict")
    except tarfile.HeaderError:
        return False
    return source.stat().st_size < tarfile.BLOCKSIZE + entry.size


def unpack(source: Path, manifest: Manifest, folder: Path) -> None:
    """Write the parts that the manifest names into `folder`, and nothing else.

    Raises:
        BackupError: A part is missing or is not what was put in.
    """
    with tarfile.open(source) as archive:
        for name, expected in manifest.files.items():
            target = folder / Path(name).name
            _copy(archive, name, target)
            if part_of(target) != expected:
                raise DamagedBackupError(f"{name} in {source} is damaged: its checksum is another.")


def _has_its_end(archive: tarfile.TarFile) -> bool:
    """Return whether the blocks of zeros that end an archive follow its last part."""
    file: Any = archive.fileobj
    file.seek(archive.offset)
    return file.read(tarfile.BLOCKSIZE) == bytes(tarfile.BLOCKSIZE)


def _copy(archive: tarfile.TarFile, name: str, target: Path) -> None:
    try:
        member = archive.extractfile(name)
    except tarfile.TarError as error:
        raise DamagedBackupError(f"The backup ends before {name}: it was cut off.") from error
    except KeyError as error:
        if not _has_its_end(archive):
            raise DamagedBackupError(f"The backup ends before {name}: it was cut off.") from error
        raise DamagedBackupError(f"The backup lacks {name}.") from error
    if member is None:
        raise DamagedBackupError(f"The backup lacks {name}.")
    try:
        with target.open("wb") as file:
            while chunk := member.read(_CHUNK):
                file.write(chunk)
    except tarfile.TarError as error:
        raise DamagedBackupError(
            f"The backup ends in the middle of {name}: it was cut off."
        ) from error
