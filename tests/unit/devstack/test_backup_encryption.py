"""Encrypted backups: who reads them, and that nothing in them can be changed without being noticed."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable
from dataclasses import replace
from io import BufferedWriter
from pathlib import Path
from typing import Final

import pyrage
import pytest
from typer.testing import CliRunner

from cli.app import cli
from cli.backups import BackupError
from cli.backups.encryption import (
    NO_KEYS,
    BackupKeys,
    decrypt,
    encrypted,
    generate_identity,
    is_encrypted,
    read_keys,
)

_CHUNK: Final = 65_536 + 16
_CHUNKS: Final = 3
_NONCE: Final = 16


def new_keys() -> BackupKeys:
    identity = pyrage.x25519.Identity.generate()
    return BackupKeys((identity.to_public(),), (identity,))


KEYS: Final = new_keys()
CONTENT: Final = bytes(range(256)) * 256 * _CHUNKS + b"the last one"


def written(path: Path, keys: BackupKeys, content: bytes = CONTENT) -> Path:
    with path.open("wb") as file, encrypted(file, keys) as target:
        target.write(content)
    return path


def read_back(path: Path, keys: BackupKeys) -> bytes:
    target = path.with_suffix(".plain")
    decrypt(path, target, keys)
    return target.read_bytes()


def chunks_of(data: bytes) -> tuple[bytes, list[bytes]]:
    """Return the header with the nonce, and the chunks."""
    start = data.index(b"\n", data.index(b"\n--- ") + 1) + 1 + _NONCE
    body = data[start:]
    return data[:start], [body[at : at + _CHUNK] for at in range(0, len(body), _CHUNK)]


def test_an_encrypted_file_has_nothing_of_its_content_and_is_read_by_its_key(
    tmp_path: Path,
) -> None:
    file = written(tmp_path / "backup", KEYS)
    assert is_encrypted(file)
    assert CONTENT[:64] not in file.read_bytes()
    assert read_back(file, KEYS) == CONTENT


def test_without_a_recipient_nothing_is_encrypted(tmp_path: Path) -> None:
    file = written(tmp_path / "backup", NO_KEYS)
    assert not is_encrypted(file)
    assert file.read_bytes() == CONTENT


def test_each_of_several_recipients_reads_it(tmp_path: Path) -> None:
    others = new_keys()
    both = BackupKeys((*KEYS.recipients, *others.recipients))
    file = written(tmp_path / "backup", both)
    assert read_back(file, KEYS) == read_back(file, others) == CONTENT


def test_after_a_rotation_files_of_the_old_key_and_of_the_new_one_are_read(tmp_path: Path) -> None:
    new = new_keys()
    old_file = written(tmp_path / "old", KEYS)
    rotated = BackupKeys(new.recipients, (*new.identities, *KEYS.identities))
    new_file = written(tmp_path / "new", rotated)
    assert read_back(old_file, rotated) == read_back(new_file, rotated) == CONTENT
    with pytest.raises(BackupError, match="another key"):
        read_back(new_file, KEYS)


def test_a_wrong_key_and_none_are_reported_each_in_its_way(tmp_path: Path) -> None:
    file = written(tmp_path / "backup", KEYS)
    with pytest.raises(BackupError, match="encrypted for another key than the 1 of"):
        read_back(file, new_keys())
    with pytest.raises(BackupError, match="BACKUP_IDENTITIES has to hold"):
        read_back(file, replace(KEYS, identities=()))


def changed(header: bytes, chunks: list[bytes]) -> bytes:
    second = bytearray(chunks[1])
    second[1000] ^= 1
    return b"".join((header, chunks[0], bytes(second), *chunks[2:]))


def swapped(header: bytes, chunks: list[bytes]) -> bytes:
    return b"".join((header, chunks[1], chunks[0], *chunks[2:]))


def repeated(header: bytes, chunks: list[bytes]) -> bytes:
    return b"".join((header, chunks[0], *chunks))


def one_lost(header: bytes, chunks: list[bytes]) -> bytes:
    return b"".join((header, chunks[0], *chunks[2:]))


def cut_between_chunks(header: bytes, chunks: list[bytes]) -> bytes:
    return b"".join((header, *chunks[:2]))


def cut_in_a_chunk(header: bytes, chunks: list[bytes]) -> bytes:
    return b"".join((header, *chunks))[:-1]


def without_chunks(header: bytes, _chunks: list[bytes]) -> bytes:
    return header


def with_more_at_its_end(header: bytes, chunks: list[bytes]) -> bytes:
    return b"".join((header, *chunks, b"more"))


def with_a_changed_header(header: bytes, chunks: list[bytes]) -> bytes:
    at = header.index(b"X25519 ") + 10
    other = b"A" if header[at : at + 1] != b"A" else b"B"
    return b"".join((header[:at], other, header[at + 1 :], *chunks))


def cut_in_its_header(header: bytes, _chunks: list[bytes]) -> bytes:
    return header[:60]


def cut_in_its_first_words(header: bytes, _chunks: list[bytes]) -> bytes:
    return header[:10]


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (changed, "damaged: a part of it was changed, moved or cut off"),
        (swapped, "damaged"),
        (repeated, "damaged"),
        (one_lost, "damaged"),
        (cut_between_chunks, "damaged.*truncated"),
        (cut_in_a_chunk, "damaged"),
        (without_chunks, "damaged.*truncated"),
        (with_more_at_its_end, "damaged"),
        (with_a_changed_header, "another key.*or its beginning was changed"),
        (cut_in_its_header, "cut off or changed in its beginning"),
        (cut_in_its_first_words, "cut off or changed in its beginning"),
    ],
)
def test_a_file_that_was_tampered_with_is_refused(
    tmp_path: Path, harm: Callable[[bytes, list[bytes]], bytes], message: str
) -> None:
    file = written(tmp_path / "backup", KEYS)
    header, chunks = chunks_of(file.read_bytes())
    assert len(chunks) == _CHUNKS + 1
    file.write_bytes(harm(header, chunks))
    with pytest.raises(BackupError, match=message):
        read_back(file, KEYS)


def test_a_chunk_of_another_file_of_the_same_key_is_refused(tmp_path: Path) -> None:
    file, other = written(tmp_path / "file", KEYS), written(tmp_path / "other", KEYS)
    header, chunks = chunks_of(file.read_bytes())
    _, others = chunks_of(other.read_bytes())
    file.write_bytes(b"".join((header, chunks[0], others[1], *chunks[2:])))
    with pytest.raises(BackupError, match="damaged"):
        read_back(file, KEYS)


class _Full(BufferedWriter):
    """A file on a disk without room."""

    def __init__(self) -> None:
        super().__init__(io.FileIO("/dev/null", "w"))

    def write(self, _data: object) -> int:
        raise OSError(28, "No space left on device")


def write_tar(file: BufferedWriter, size: int) -> None:
    with encrypted(file, KEYS) as target, tarfile.open(fileobj=target, mode="w|") as archive:
        entry = tarfile.TarInfo("part")
        entry.size = size
        archive.addfile(entry, io.BytesIO(bytes(size)))


def test_a_full_disk_is_reported_and_not_the_broken_pipe_to_it() -> None:
    # More than the pipe takes: the writer would wait for ever for a reader that has ended.
    with _Full() as full, pytest.raises(BackupError, match=r"not be encrypted: .*No space left"):
        write_tar(full, 5 << 20)


def test_a_failure_of_what_is_written_is_passed_on(tmp_path: Path) -> None:
    with (
        pytest.raises(LookupError, match="of the content"),
        (tmp_path / "backup").open("wb") as file,
        encrypted(file, KEYS),
    ):
        raise LookupError("of the content")


def test_keys_are_read_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (new, new_public), (old, _) = generate_identity(), generate_identity()
    file = tmp_path / "identities"
    file.write_text(f"{new}\n{old}")
    monkeypatch.setenv("BACKUP_IDENTITIES_FILE", str(file))
    keys = read_keys()
    assert [str(recipient) for recipient in keys.recipients] == [new_public]
    assert len(keys.identities) == 2
    elsewhere = new_keys().recipients[0]
    monkeypatch.setenv("BACKUP_RECIPIENTS", f"{elsewhere}, {new_public}")
    assert [str(recipient) for recipient in read_keys().recipients] == [str(elsewhere), new_public]


@pytest.mark.parametrize("variable", ["BACKUP_IDENTITIES", "BACKUP_RECIPIENTS"])
def test_a_key_of_a_wrong_form_is_named_by_its_variable_and_not_shown(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "AGE-SECRET-KEY-1OFNOBODY")
    with pytest.raises(BackupError, match=variable) as caught:
        read_keys()
    assert "OFNOBODY" not in str(caught.value)


def test_a_generated_key_is_its_owners_alone_and_replaces_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "identities"
    made = CliRunner().invoke(cli, ["backup", "generate-key", str(file)])
    assert made.exit_code == 0, made.output
    assert file.stat().st_mode & 0o777 == 0o600
    (public,) = re.findall(r"age1\w+", made.output)
    assert "AGE-SECRET-KEY" not in made.output
    monkeypatch.setenv("BACKUP_IDENTITIES_FILE", str(file))
    assert [str(recipient) for recipient in read_keys().recipients] == [public]
    again = CliRunner().invoke(cli, ["backup", "generate-key", str(file)])
    assert again.exit_code == 1
    assert "is there already" in again.output
    assert public in file.read_text()


def test_a_generated_key_goes_to_standard_output_without_a_file() -> None:
    made = CliRunner().invoke(cli, ["backup", "generate-key"])
    assert made.exit_code == 0
    assert made.stdout.splitlines()[1].startswith("AGE-SECRET-KEY-1")
    assert "AGE-SECRET-KEY" not in made.stderr
