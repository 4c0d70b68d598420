"""Paths, links and modules that README, docs and docstrings name exist."""

import ast
import re
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = (
    "auth_service|benchmarks|catalog_service|cli|deploy|devstack|docs|gateway|import_worker|protos|requirements|scripts|"
    "servicekit|shapes|tests"
)
PATH = re.compile(rf"(?<![\w./-])(?:{FOLDERS})/[\w./{{}},-]*[\w}}]")
SHORT_PATH = re.compile(r"`(\w+(?:/\w+)+\.py)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
TRACKED = [
    path
    for path in subprocess.run(
        ["git", "ls-files", "*.py"],  # noqa: S607
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    if (ROOT / path).exists()
]  # fmt: skip
SOURCES = [ROOT / path for path in TRACKED if "_pb2" not in path]
WRITTEN_LATER = {"deploy/compose/compose.digests.yaml"}
"""Files that a command writes when an operator runs it."""
ELSEWHERE = {"docs/tools/mcp-server.md"}
"""Files of other projects, at which docstrings point."""


def alternatives(path: str) -> Iterator[str]:
    """Expand `a/{b,c}.py` as a shell does."""
    parts = [
        part[1:-1].split(",") if part.startswith("{") else [part]
        for part in re.split(r"(\{[^}]*\})", path)
    ]
    yield from ("".join(choice) for choice in product(*parts))


def missing(text: str, folder: Path) -> set[str]:
    """The paths from the root, the ends of paths, and the links from the page's folder that lead nowhere."""
    paths = {path for found in PATH.findall(text) for path in alternatives(found)}
    links = {link for link in LINK.findall(text) if not re.match(r"\w+:", link)}
    return {
        *(path for path in paths if not (ROOT / path).exists() and not re.search("[A-Z]{4}", path)),
        *(path for path in SHORT_PATH.findall(text) if not _ends_a_path(path)),
        *(link for link in links if not (folder / link).exists()),
    }


def _ends_a_path(path: str) -> bool:
    return any(f"/{tracked}".endswith(f"/{path}") for tracked in TRACKED)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_of_a_page_exists(page: Path) -> None:
    assert missing(page.read_text(), page.parent) <= WRITTEN_LATER


def docstrings(source: str) -> Iterator[str]:
    """Yield the docstrings of a module, also those of its constants."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text
            case _:
                pass


def test_every_path_of_a_docstring_exists() -> None:
    lost = {
        (str(path.relative_to(ROOT)), name)
        for path in SOURCES
        for text in docstrings(path.read_text())
        for name in missing(text, path.parent)
        if name not in WRITTEN_LATER | ELSEWHERE and not LINK.search(text)
    }
    assert lost == set()


def test_the_docstrings_of_a_constant_are_read() -> None:
    assert list(docstrings('"""Module."""\nA = 1\n"""See tests/nowhere.py."""\n')) == [
        "Module.",
        "See tests/nowhere.py.",
    ]


def test_a_path_that_leads_nowhere_is_found() -> None:
    text = "`gateway/{app,nowhere}.py`, [page](glossary.md#terms), [lost](lost.md), `requirements/IMAGE.lock`"
    assert missing(text, ROOT / "docs") == {"gateway/nowhere.py", "lost.md"}


def test_the_end_of_a_path_that_no_file_has_is_found() -> None:
    text = "`storage/ranked_months.py`, `quota/lease.py`, `uota/lease.py`"
    assert missing(text, ROOT) == {"storage/ranked_months.py", "uota/lease.py"}
