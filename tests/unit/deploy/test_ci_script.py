"""The script of everything says how long each of its sections took."""

import re
import subprocess
from pathlib import Path
from typing import Final

SCRIPT: Final = Path(__file__).resolve().parents[3] / ".ci" / "run"


def run(steps: str) -> subprocess.CompletedProcess[str]:
    """Run `steps` after the script's own beginning, in the place of its sections."""
    beginning, first, _ = SCRIPT.read_text().partition('\nsection "')
    assert first
    assert "trap summary EXIT" in beginning
    return subprocess.run(
        ["/bin/bash", "-c", f"{beginning}\n{steps}", str(SCRIPT)],
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip


def test_each_section_and_the_whole_have_their_seconds() -> None:
    finished = run('section "One"\nSECONDS=3\nsection "Half: 50 %"\nSECONDS=10')
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines() == [
        "", "=== One", "--- 3 s: One",
        "", "=== Half: 50 %", "--- 7 s: Half: 50 %",
        "", "=== Seconds of each section",
        "     3 s  One", "     7 s  Half: 50 %", "    10 s  all of it",
    ]  # fmt: skip


def test_a_section_that_fails_is_timed_and_fails_the_script() -> None:
    finished = run('section "One"\nSECONDS=5\n(exit 3)\nsection "Two"')
    assert finished.returncode == 3
    assert "--- 5 s: One" in finished.stdout
    assert re.search(r"^ +5 s  all of it$", finished.stdout, re.MULTILINE)
    assert "Two" not in finished.stdout


def test_the_summary_stands_there_before_any_section_too() -> None:
    finished = run("(exit 4)")
    assert finished.returncode == 4
    assert finished.stdout.endswith("s  all of it\n")
    assert finished.stderr == ""
