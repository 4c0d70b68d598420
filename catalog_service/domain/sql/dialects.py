"""Advice for what other databases' SQL has and Postgres' has not."""

import re
from typing import Final

_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_LISTING: Final = re.compile(
    r"\s*(?:DESC(?:RIBE)?|SHOW\s+(?:FULL\s+)?(?:TABLES|COLUMNS|FIELDS|DATABASES|SCHEMAS|CREATE\s+TABLE)|PRAGMA\s+TABLE\w*|\\d)\b",
    re.IGNORECASE,
)
_TOP: Final = re.compile(r"\bSELECT\s+(?:(?:ALL|DISTINCT)\s+)?TOP\s+([0-9]+)\b", re.IGNORECASE)


def advice(sql: str) -> str | None:
    """Return what to write instead in a statement that is refused; None if it shows no other database's SQL."""
    if _LISTING.match(sql):
        return "The tool catalog.schema lists the tables and their columns."
    top = _TOP.search(sql)
    if top:
        return f"Write LIMIT {top[1]} at the end of the SELECT instead of TOP {top[1]}."
    if "`" in _QUOTED.sub("", sql):
        return "Write names without backticks."
    return None
