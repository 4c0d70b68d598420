"""No function is more complex than the limit, with boolean operators counted."""

import subprocess
import sys
from pathlib import Path

from scripts.complexity import LIMIT

_SCRIPT = Path(__file__).parents[3] / "scripts" / "complexity.py"


def _check(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, _SCRIPT, path.parent], check=False, capture_output=True, text=True
    )


def _write(folder: Path, operands: int) -> Path:
    path = folder / "module.py"
    condition = " and ".join(f"n > {number}" for number in range(operands))
    path.write_text(f"class Rule:\n    def holds(self, n):\n        return {condition}\n")
    return path


def test_a_condition_of_as_many_parts_as_the_limit_passes(tmp_path: Path) -> None:
    assert _check(_write(tmp_path, LIMIT)).returncode == 0


def test_a_condition_of_one_part_more_fails_and_is_named(tmp_path: Path) -> None:
    checked = _check(_write(tmp_path, LIMIT + 1))
    assert checked.returncode == 1
    assert "Rule.holds" in checked.stdout
