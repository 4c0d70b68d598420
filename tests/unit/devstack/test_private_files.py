"""What a home has is readable by its owner alone, whatever the umask is."""

import os
import stat
from collections.abc import Generator
from pathlib import Path

import pytest

from devstack.home import Home
from devstack.log_files import appended


@pytest.fixture(autouse=True)
def umask() -> Generator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_the_lock_and_the_logs_of_a_home_are_private(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.open()
    with home.locked(), appended(home.logs / "gateway.log") as log:
        log.write(b"line\n")
    files = [path for path in home.path.rglob("*") if path.is_file()]
    assert {path.name for path in files} == {"lock", "gateway.log"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
