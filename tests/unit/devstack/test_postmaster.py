"""A server of a data folder is recognised, and no other process is taken for it."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from devstack.postmaster import running_server


@contextmanager
def process_named(name: str, *arguments: str) -> Generator[int]:
    """A process with these arguments, and its id."""
    code = "import sys; print(flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        [name, "-c", code, *arguments],
        executable=sys.executable,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    process.stdout.readline()
    try:
        yield process.pid
    finally:
        process.communicate()


def test_a_postgres_that_was_started_on_the_folder_is_found(tmp_path: Path) -> None:
    with process_named("/usr/lib/postgres", "-D", str(tmp_path)) as pid:
        (tmp_path / "postmaster.pid").write_text(f"{pid}\n{tmp_path}\n")
        assert running_server(tmp_path) == pid
    assert running_server(tmp_path) is None


@pytest.mark.parametrize(("name", "folder"), [("postgres", "another"), ("python", "")])
def test_another_process_of_the_same_number_is_no_server_of_the_folder(
    name: str, folder: str, tmp_path: Path
) -> None:
    with process_named(name, "-D", str(tmp_path / folder)) as pid:
        (tmp_path / "postmaster.pid").write_text(f"{pid}\n{tmp_path}\n")
        assert running_server(tmp_path) is None


@pytest.mark.parametrize("text", ["", "damaged", "-1\n", "4194305\n"])
def test_a_file_without_the_id_of_a_process_names_no_server(text: str, tmp_path: Path) -> None:
    assert running_server(tmp_path) is None
    (tmp_path / "postmaster.pid").write_text(text)
    assert running_server(tmp_path) is None
