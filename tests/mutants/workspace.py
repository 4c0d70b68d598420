"""A copy of the working tree in a temporary folder, in which mutations are applied."""

from __future__ import annotations

import compileall
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Final

_PACKAGES: Final = (
    "auth_service",
    "catalog_service",
    "gateway",
    "import_worker",
    "cli",
    "devstack",
    "protos",
    "servicekit",
    "shapes",
    "tests",
)
_SHARED: Final = (".venv", ".venv-mcp1", "tests/clients/node/node_modules")
"""Installed files outside the repository; the copy links to them."""


@contextmanager
def copied_tree(root: Path) -> Generator[Path]:
    """Yield a copy of every file that git knows or would add, changes included."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],  # noqa: S607
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-mutants-") as folder:
        copy = Path(folder) / "tree"
        for name in filter(None, listed.stdout.split("\0")):
            if (root / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / name, copy / name)
        for name in _SHARED:
            if (root / name).exists():
                (copy / name).symlink_to(root / name)
        # By the hash of the source: two writes within a second may leave time and size as they were.
        for name in _PACKAGES:
            compileall.compile_dir(
                copy / name, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH
            )
        yield copy
