"""Fuzzes one target, guided by the coverage of our code: `python -m tests.fuzz detector --seconds 60`.

What it fails on is written into the target's corpus, where `test_corpus.py` holds it from then on.
Inputs that reach new code are kept outside the repository (`--found`), for the next run.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
from pathlib import Path
from typing import Any, Final

TARGETS: Final = {
    "jsonrpc": ["gateway.mcp"],
    "endpoint": ["gateway", "servicekit"],
    "detector": ["import_worker"],
}
"""The targets, each with the packages whose coverage guides."""

CORPUS: Final = Path(__file__).parent / "corpus"
_FOUND: Final = Path("build/fuzz")
_LONGEST: Final = 4_096
_HANG_SECONDS: Final = 20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0, help="0 takes another one each time")
    parser.add_argument("--found", type=Path, default=_FOUND, help="keeps inputs with new coverage")
    options = parser.parse_args()
    # By name: it has no types, and no wheel for many a machine that runs all other tests.
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=TARGETS[options.target]):
        target: Any = importlib.import_module(f"tests.fuzz.targets.{options.target}")
    found, saved = options.found / options.target, CORPUS / options.target
    found.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".dict") as words:
        words.writelines(_quoted(word) for word in target.WORDS)
        words.flush()
        flags = [
            f"-max_total_time={options.seconds}",
            f"-max_len={_LONGEST}",
            f"-timeout={_HANG_SECONDS}",
            f"-seed={options.seed}",
            f"-dict={words.name}",
            f"-artifact_prefix={saved}/found-",
            "-print_final_stats=1",
            "-rss_limit_mb=1500",
        ]
        atheris.Setup(["fuzz", *flags, str(found), str(saved)], target.check)
        atheris.Fuzz()


def _quoted(word: str) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n'


if __name__ == "__main__":
    main()
