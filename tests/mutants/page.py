"""docs/mutants.md: each mutation, and whether the test of its row fails because of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.mutants.mutation import Mutation
from tests.mutants.security_rows import SecurityRow

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "mutants.md"
NOT_RUN: Final = "not run"

_INTRODUCTION: Final = """\
# Which broken code each test of attacks finds

Written by `make mutants`. Each line is a change that breaks what a row of [security-tests.md](security-tests.md) promises
(`tests/mutants/mutations`), applied to a copy of the code, and what the test that the row names said of it: a mutant is
*killed* by a test that fails. `make mutants MUTANTS="--only 'API7'"` runs those of one row; CI runs another tenth each day.
"""
_TABLE_HEAD: Final = "\n| file | mutation | test | result |\n| --- | --- | --- | --- |\n"
_LINE: Final = re.compile(
    r"^\| `[^`]+` \| (?P<name>.+) \| `[^`]+` \| (?P<result>.+) \|$", re.MULTILINE
)


def read_results(page: str) -> dict[str, str]:
    """Return the result of each mutation that stands on the page, by the mutation's name."""
    return {found["name"]: found["result"] for found in _LINE.finditer(page)}


def render_page(
    mutations: Iterable[Mutation],
    rows: Mapping[str, SecurityRow],
    results: Mapping[str, str],
) -> str:
    """Return the page, in the order of the rows."""
    by_row: dict[str, list[Mutation]] = {}
    for mutation in mutations:
        by_row.setdefault(mutation.row, []).append(mutation)
    sections = [
        f"\n## {row.title}\n{_TABLE_HEAD}{_lines(by_row[key], results)}"
        for key, row in rows.items()
        if key in by_row
    ]
    total = counts([results.get(item.name, NOT_RUN) for found in by_row.values() for item in found])
    return f"{_INTRODUCTION}\n{total}\n{''.join(sections)}"


def _lines(mutations: Sequence[Mutation], results: Mapping[str, str]) -> str:
    return "".join(
        f"| `{mutation.file}` | {mutation.name} | `{mutation.test}` | {results.get(mutation.name, NOT_RUN)} |\n"
        for mutation in mutations
    )


def counts(results: Sequence[str]) -> str:
    """Return how many mutants there are of each result, in words."""
    kinds = ", ".join(f"{results.count(kind)} {kind}" for kind in sorted(set(results)))
    return f"{len(results)} mutants ({kinds})."
