"""Run every static check, two at a time, and print what each said.

`python scripts/check.py` runs all; names of checks run those alone.
"""

import signal
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PYTHON = sys.executable
AT_ONCE = 2
"""A type checker takes a core and 2.4 GB of memory, and more of them gain nothing on the machines of CI."""


def _module(name: str) -> list[str]:
    return [PYTHON, "-m", f"scripts.{name}", "--check"]


def _packages() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages: list[str] = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    return packages


def _script(name: str) -> list[str]:
    return [PYTHON, f"scripts/{name}.py", "--check"]


CHECKS: dict[str, list[str]] = {
    "types of sources": [PYTHON, "-m", "scripts.type_check", "sources"],
    "types of tests": [PYTHON, "-m", "scripts.type_check", "tests"],
    "lint": [f"{BIN}/ruff", "check", "."],
    "format": [f"{BIN}/ruff", "format", "--check", "."],
    "unused code": [f"{BIN}/vulture"],
    "complexity": [PYTHON, "scripts/complexity.py", *_packages(), "scripts", "benchmarks"],
    "imports": [f"{BIN}/lint-imports", "--no-logo"],
    "words": [PYTHON, "-m", "scripts.retired_words"],
    "stubs": _script("gen_protos"),
    "shapes": _script("gen_shapes"),
    "tools": _script("gen_tools"),
    "configuration": _script("gen_configuration"),
    "metrics": _script("gen_metrics"),
    "dashboards": _script("gen_dashboards"),
    "clients": _script("gen_clients"),
    "agents": _module("gen_agents"),
    "registry entry": _script("gen_registry"),
    "licences": _module("gen_licences"),
}
"""The command of each check; the longest come first."""


@dataclass(frozen=True)
class Outcome:
    """The end of one check: whether it passed, its output and its seconds."""

    passed: bool
    output: str
    seconds: float


def _run(command: list[str]) -> Outcome:
    started = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return Outcome(done.returncode == 0, done.stdout, time.monotonic() - started)


def _report(name: str, outcome: Outcome) -> bool:
    print(f"{'passed' if outcome.passed else 'FAILED'}  {name} ({outcome.seconds:.1f} s)")
    if not outcome.passed:
        print(outcome.output, flush=True)
    return outcome.passed


def main(names: list[str]) -> int:
    """Run the checks of these names, or all, and return the exit status."""
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        print(f"There is no check {', '.join(unknown)}: name some of {', '.join(CHECKS)}.")
        return 2
    # Where a parent ignores this signal, ends of children are lost, and a failure would pass.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    chosen = [name for name in CHECKS if not names or name in names]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = pool.map(_run, [CHECKS[name] for name in chosen])
        passed = [_report(name, outcome) for name, outcome in zip(chosen, outcomes, strict=True)]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
