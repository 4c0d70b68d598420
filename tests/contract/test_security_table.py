"""The page of attacks names tests that exist, and misses no file of them and no point."""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "security-tests.md").read_text()
NAMED: Final = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)))


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, functions)}


@pytest.mark.parametrize("file", sorted({file for file, _ in NAMED}))
def test_every_test_that_is_named_exists(file: str) -> None:
    assert {name for path, name in NAMED if path == file} <= functions_of(ROOT / file)


def test_every_file_of_attacks_is_on_the_page() -> None:
    files = {f"tests/attack/{path.name}" for path in (ROOT / "tests/attack").glob("test_*.py")}
    assert files <= {file for file, _ in NAMED}


def test_no_point_is_without_a_test() -> None:
    rows = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
    points = [row for row in rows if row[0] not in ("| point", "| risk", "| attack", "| ---")]
    assert all("::test_" in row[1] for row in points)
    assert len({row[0] for row in points}) == len(points), "a point stands there twice"
    numbers = [int(found) for found in re.findall(r"^\| (\d+)\. ", PAGE, re.MULTILINE)]
    assert numbers == list(range(1, 37))
    assert re.findall(r"^\| API(\d+) ", PAGE, re.MULTILINE) == [str(at) for at in range(1, 11)]
