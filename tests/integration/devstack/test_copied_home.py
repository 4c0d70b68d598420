"""A home that was copied names the addresses of another stack; commands of backups keep to their own data."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from cli.commands._backup_shell import is_postgres_of
from devstack.engines import Postgres
from devstack.home import Home, HomeError
from devstack.ports import free_port


@pytest.fixture
def home() -> Generator[Home]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        yield Home(Path(folder) / "home")


def test_a_copied_home_does_not_speak_to_the_stack_that_it_was_copied_from(home: Home) -> None:
    home.open()
    keys = home.secrets()
    postgres = Postgres(
        home.path / "postgres", free_port(), keys.postgres_password, {}, home.logs / "postgres.log"
    )
    address = f"127.0.0.1:{postgres.port}"
    copied = Home(home.path.parent / "copied")
    assert not is_postgres_of(home, address), "nothing listens there yet"
    postgres.start()
    try:
        shutil.copytree(
            home.path, copied.path, ignore=lambda _folder, _names: ["postmaster.pid", "base"]
        )
        assert copied.secrets() == keys
        assert is_postgres_of(home, address)
        assert not is_postgres_of(copied, address)
        (copied.path / "secrets.json").unlink()
        with pytest.raises(HomeError, match="put the saved copy of the file back"):
            is_postgres_of(copied, address)
    finally:
        postgres.stop()
