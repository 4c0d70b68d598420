"""Paths, links and modules that README and docs name exist."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = (
    "auth_service|benchmarks|catalog_service|cli|deploy|devstack|docs|gateway|import_worker|protos|requirements|scripts|"
    "servicekit|tests"
)
PATH = re.compile(rf"(?<![\w./-])(?:{FOLDERS})/[\w./{{}},-]*[\w}}]")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
WRITTEN_LATER = {"deploy/compose/compose.digests.yaml"}
"""Files that a command writes when an operator runs it."""


def alternatives(path: str) -> Iterator[str]:
    """Expand `a/{b,c}.py` as a shell does."""
    parts = [
        part[1:-1].split(",") if part.startswith("{") else [part]
        for part in re.split(r"(\{[^}]*\})", path)
    ]
    yield from ("".join(choice) for choice in product(*parts))


def missing(text: str, folder: Path) -> set[str]:
    """The paths from the root and the links from the page's folder that lead nowhere."""
    paths = {path for found in PATH.findall(text) for path in alternatives(found)}
    links = {link for link in LINK.findall(text) if not re.match(r"\w+:", link)}
    return {
        path for path in paths if not (ROOT / path).exists() and not re.search("[A-Z]{4}", path)
    } | {link for link in links if not (folder / link).exists()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_of_a_page_exists(page: Path) -> None:
    assert missing(page.read_text(), page.parent) <= WRITTEN_LATER


def test_a_path_that_leads_nowhere_is_found() -> None:
    text = "`gateway/{app,nowhere}.py`, [page](glossary.md#terms), [lost](lost.md), `requirements/IMAGE.lock`"
    assert missing(text, ROOT / "docs") == {"gateway/nowhere.py", "lost.md"}
