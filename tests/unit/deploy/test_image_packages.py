"""Each image holds every package of the project that its code imports."""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[3]
STAGES: Final = dict(
    re.findall(
        r"^FROM builder AS (\w+)-builder\n(.*?)(?=^FROM )",
        (ROOT / "Dockerfile").read_text(),
        re.MULTILINE | re.DOTALL,
    )
)
PROJECT: Final = frozenset(path.parent.name for path in ROOT.glob("*/__init__.py"))


def copied(stage: str) -> set[str]:
    return set(re.findall(r"^COPY (\w+) \1$", STAGES[stage], re.MULTILINE))


def imported(package: str) -> set[str]:
    """Return the project's packages that a package imports, wherever in it."""
    found: set[str] = set()
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found & PROJECT


@pytest.mark.parametrize("stage", sorted(STAGES))
def test_an_image_has_the_packages_that_its_code_imports(stage: str) -> None:
    packages = copied(stage)
    assert packages
    assert {name for package in packages for name in imported(package)} <= packages


def test_every_image_is_checked() -> None:
    assert set(STAGES) == {"gateway", "catalog", "auth", "imports", "cli"}
