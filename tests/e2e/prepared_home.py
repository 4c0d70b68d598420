"""Homes on which a stack was started before: its databases have their tables, the sample and the account.

Making them takes a first start some 13 s of CPU more than a copy of the folder does.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.running_stack import start


def prepare_home(factory: pytest.TempPathFactory, home: Path) -> Path:
    """Make `home` one that a stack was started on before, and return it.

    The first of a test run is made by a start, and all are copies of it. Tests of the first start
    itself have no use for it.
    """
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all workers
    original = folder / "prepared-home"
    with (folder / "prepared-home.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not original.exists():
            _make(original)
    subprocess.run(["cp", "-a", original, home], check=True)  # noqa: S607 - owners too, as root
    return home


def _make(original: Path) -> None:
    new = original.with_suffix(".new")
    assert start(new).stop() == 0
    for log in (new / "logs").iterdir():
        log.unlink()
    # Two copies that are started at once would choose the same ports.
    state = json.loads((new / "state.json").read_text())
    others = {key: value for key, value in state.items() if not key.endswith("_port")}
    (new / "state.json").write_text(json.dumps(others))
    new.rename(original)
