"""Advice for what other databases' SQL has and Postgres' has not."""

import re
from collections.abc import Callable
from typing import Final

_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
Found = re.Match[str]


def _share(found: Found) -> str:
    return f"Rank the rows by percent_rank() OVER (ORDER BY …) in a subquery, and keep those up to {int(found[1]) / 100:g}."


_ADVICE: Final[tuple[tuple[re.Pattern[str], Callable[[Found], str]], ...]] = (
    (
        re.compile(
            r"(?i)\A\s*(?:\\d|(?:DESC(?:RIBE)?|PRAGMA\s+TABLE\w*"
            r"|SHOW\s+(?:FULL\s+)?(?:TABLES|COLUMNS|FIELDS|DATABASES|SCHEMAS|INDEX(?:ES)?|KEYS|CREATE\s+TABLE))\b)"
        ),
        lambda _: "The tool catalog.schema lists the tables and their columns.",
    ),
    (re.compile(r"(?i)\A\s*USE\b"), lambda _: "There is one database: leave USE out."),
    (
        re.compile(r"(?i)\A\s*EXPLAIN\b"),
        lambda _: "Give the SELECT with `dry_run` for its planned cost, without EXPLAIN.",
    ),
    (
        re.compile(
            r"(?i)\bSELECT\s+(?:(?:ALL|DISTINCT)\s+)?TOP\s*(?:\(\s*)?([0-9]{1,9})\s*(?:\)\s*)?PERCENT\b"
        ),
        _share,
    ),
    (
        re.compile(r"(?i)\bSELECT\s+(?:(?:ALL|DISTINCT)\s+)?TOP\s+([0-9]+)\b"),
        lambda found: f"Write LIMIT {found[1]} at the end of the SELECT instead of TOP {found[1]}.",
    ),
    (
        re.compile(r"(?i)\bLIMIT\s+([0-9]+)\s*,\s*([0-9]+)\b"),
        lambda found: f"Write LIMIT {found[2]} OFFSET {found[1]} instead.",
    ),
    (re.compile("`"), lambda _: "Write names without backticks."),
    (
        re.compile(
            r"(?i)(?:\b(?:SELECT|FROM|JOIN|WHERE|AND|OR|ON|BY)|[,.(=])\s*\[\s*[a-z_][\w ]*\]"
        ),
        lambda _: "Write names without brackets.",
    ),
)


def advice(sql: str) -> str | None:
    """Return what to write instead in a statement that is refused; None if it shows no other database's SQL."""
    text = _QUOTED.sub("''", sql)
    for pattern, words in _ADVICE:
        found = pattern.search(text)
        if found:
            return words(found)
    return None
