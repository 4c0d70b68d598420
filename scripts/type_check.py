"""Checks the types of `sources` or of `tests` by pyright, unless nothing that they rest on changed since they passed.

A pass is stored as a hash of all files that could change it, in `.types_cache`: pyright itself keeps
nothing between two runs, and takes longer than all other checks together.
"""

import hashlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
CACHE: Final = ROOT / ".types_cache"
PARTS: Final = ("sources", "tests")
_TESTS: Final = "tests"
_ALSO: Final = ("protos", "typings")
"""Read by the type checker, but not checked themselves."""

_SETTINGS: Final = ("pyproject.toml", "requirements/dev.lock")
# Node's garbage collector takes a third of the time with the small young generation that is its default.
_NODE_OPTIONS: Final = "--max-semi-space-size=256 --max-old-space-size=8000"


def folders(part: str, root: Path = ROOT) -> Sequence[str]:
    """Return the folders that a part checks, from pyright's own settings."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    included: list[str] = project["tool"]["pyright"]["include"]
    return [name for name in included if (name == _TESTS) == (part == _TESTS)]


def digest(part: str, root: Path = ROOT) -> str:
    """Return the hash of everything that the types of a part depend on.

    Tests depend on the sources; the sources do not depend on the tests.
    """
    hashed = hashlib.sha256(sys.version.encode())
    names = {name for other in PARTS[: PARTS.index(part) + 1] for name in folders(other, root)}
    for path in _files(root, sorted({*names, *_ALSO})):
        content = path.read_bytes()
        hashed.update(f"{path.relative_to(root)}\0{len(content)}\0".encode())
        hashed.update(content)
    return hashed.hexdigest()


def _files(root: Path, names: Sequence[str]) -> Iterator[Path]:
    yield from (root / name for name in _SETTINGS)
    for name in names:
        found = (path for path in (root / name).rglob("*.py*") if path.suffix in {".py", ".pyi"})
        yield from sorted(found)


def main(part: str) -> int:
    """Check a part and return the exit status."""
    passed = CACHE / part
    before = digest(part)
    if passed.exists() and passed.read_text() == before:
        return 0
    pyright = Path(sys.executable).parent / "pyright"
    command = ["env", f"NODE_OPTIONS={_NODE_OPTIONS}", pyright, *folders(part)]
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode == 0 and digest(part) == before:
        CACHE.mkdir(exist_ok=True)
        passed.write_text(before)
    return done.returncode


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PARTS:
        sys.exit(f"Name a part: {' or '.join(PARTS)}.")
    sys.exit(main(sys.argv[1]))
