"""The rows of docs/security-tests.md, with the tests that each names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ROW: Final = re.compile(r"^\| (?P<title>.+?) \| (?P<tests>.*::test_.*) \|$", re.MULTILINE)
_NUMBER: Final = re.compile(r"(?P<key>\d+(?=\. )|API\d+(?= ))")
_TEST: Final = re.compile(r"`(tests/[\w/]+\.py::test_\w+)`")


@dataclass(frozen=True, slots=True)
class SecurityRow:
    """One row: its key (`1`, `API4`, or the whole title), its first cell, its tests."""

    key: str
    title: str
    tests: tuple[str, ...]


def security_rows(root: Path) -> dict[str, SecurityRow]:
    """Return the rows by key, in the order of the page."""
    page = (root / "docs" / "security-tests.md").read_text(encoding="utf-8")
    rows = [_row(found["title"], found["tests"]) for found in _ROW.finditer(page)]
    return {row.key: row for row in rows}


def _row(title: str, tests: str) -> SecurityRow:
    number = _NUMBER.match(title)
    return SecurityRow(number["key"] if number else title, title, tuple(_TEST.findall(tests)))
