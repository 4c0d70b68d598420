"""The last release: its commit, its schemas, and its code out of git's history.

`tests/contract/released/release.json` names the commit and the newest migration of each service there; a release writes it anew
(docs/versioning.md). No code of it is stored: where the history does not have the commit, as in a shallow clone, tests skip.
"""

import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
RELEASE: Final = ROOT / "tests" / "contract" / "released" / "release.json"
PACKAGES: Final = (
    "auth_service",
    "catalog_service",
    "devstack",
    "gateway",
    "import_worker",
    "protos",
    "servicekit",
    "shapes",
)


@dataclass(frozen=True, slots=True)
class Release:
    """The last release.

    Attributes:
        commit: That was released.
        schemas: The newest revision there, by database.
    """

    commit: str
    schemas: Mapping[str, str]


def last_release() -> Release:
    values = json.loads(RELEASE.read_text())
    return Release(values["commit"], values["schemas"])


def extract(folder: Path) -> Path:
    """Write the packages of the last release into a folder; skip the test where git does not have them."""
    commit = last_release().commit
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed: the code of the last release cannot be had")
    command = [git, "-C", str(ROOT), "archive", commit, *PACKAGES]
    archive = subprocess.run(command, capture_output=True, check=False)
    if archive.returncode:
        if os.environ.get("NEED_LAST_RELEASE"):
            pytest.fail(archive.stderr.decode())
        pytest.skip(f"the history does not have the last release, {commit[:8]} (a shallow clone?)")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(folder, filter="data")
    return folder


def environment_of(code: Path | None) -> dict[str, str]:
    """Return what makes `python -m` take its modules from there, with the present dependencies; None is the present code."""
    return {} if code is None else {"PYTHONPATH": str(code), "PYTHONSAFEPATH": "1"}
