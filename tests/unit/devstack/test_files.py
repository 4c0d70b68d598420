"""Files are replaced at once, or stay as they were."""

from pathlib import Path
from typing import Any

import pytest

from devstack.files import atomic_file, write_atomically


def test_a_file_is_replaced_and_has_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    write_atomically(file, b"new", 0o640)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    assert list(tmp_path.iterdir()) == [file]


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", b"secret")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_a_file_whose_writing_fails_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    text: Any = "no bytes"
    with pytest.raises(TypeError), atomic_file(file) as new:
        new.write(text)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
