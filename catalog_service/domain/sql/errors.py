"""Errors of callers' SQL; each says where in the text it lies, and what to write instead where that is known."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from catalog_service.domain.errors import BadArgument
from catalog_service.domain.sql.dataset import COLUMN_NAMES, TABLE_NAMES, TABLES
from servicekit.errors import ResourceExhausted

_SHOWN: Final = 30
"""Characters of the text that an error shows on each side of the place."""


MAX_REQUESTS: Final = 5
"""What a statement counts as that returns rows, and at most one that does not."""


class SqlRefused(BadArgument):
    """A statement that is not accepted, or that Postgres refuses.

    Args:
        message: The problem and the remedy.
        sql: The statement.
        offset: Index in `sql` at which the problem lies; None if it is no single place.
    """

    default_reason = "SQL_REFUSED"

    def __init__(self, message: str, sql: str = "", offset: int | None = None) -> None:
        details: dict[str, str] = {}
        if offset is not None and 0 <= offset <= len(sql):
            line = sql.count("\n", 0, offset) + 1
            column = offset - (sql.rfind("\n", 0, offset) + 1) + 1
            near = " ".join(sql[max(0, offset - _SHOWN) : offset + _SHOWN].split())
            message = f"{message} Line {line}, column {column}, near: {near}"
            details = {"line": str(line), "column": str(column)}
        super().__init__("sql", message, **details)

    @property
    def requests(self) -> int:
        """What the statement counts as, although it has failed."""
        return int(self.details.get("requests", "0"))

    def after(self, seconds: float) -> None:
        """Let the statement count as a request for each full second that it took the server."""
        requests = min(MAX_REQUESTS, int(seconds))
        if requests:
            self.details["requests"] = str(requests)


class SqlTooExpensive(SqlRefused):
    """A statement whose planned work is more than is allowed; it was not run."""

    default_reason = "SQL_TOO_EXPENSIVE"


def too_expensive(cost: float, limit: float) -> str:
    """Return why a statement of this planned cost is not run, and what to do."""
    return (
        f"The planned cost of this statement is {cost:,.0f}, and at most {limit:,.0f} is run. Bound it by day, brand or creator, "
        "join by ids, or read `months` and `relations`, which are totals already."
    )


class SqlLimitReached(SqlTooExpensive):
    """A statement that was ended at a limit of time or memory."""

    default_reason = "SQL_LIMIT_REACHED"


class SqlBusy(ResourceExhausted):
    """Other statements of the account, or of all accounts, are under way."""

    default_reason = "SQL_BUSY"


_CALLED: Final = {
    "brand": "sponsors",
    "brands": "sponsors",
    "channel": "youtubers",
    "channels": "youtubers",
    "creator": "youtubers",
    "creators": "youtubers",
    "deals": "sponsorships",
}
"""Tables by what people call their rows."""


_CLOSE: Final = 0.75
"""How like a table's name another spelling of it is, 0 to 1: "corrections" is no slip for relations, at 0.7."""


def nearest_table(name: str) -> str:
    """Return advice for a table that is not there."""
    called = _CALLED.get(name.lower())
    close = [called] if called else get_close_matches(name.lower(), TABLE_NAMES, n=1, cutoff=_CLOSE)
    hint = f"Did you mean {close[0]}? " if close else ""
    return f"{hint}There are {', '.join(table.name for table in TABLES)}; catalog.schema describes them."


def column_of(name: str, columns: Sequence[str]) -> str:
    """Return advice for a column that a table, whose columns are these, has not."""
    owner, _, own = name.lower().partition("_")
    close = [own] if own in columns else get_close_matches(name.lower(), columns, n=1, cutoff=0.6)
    home = next((table for table in TABLES if table.name in (owner, f"{owner}s")), None)
    if home and own in {column.name for column in home.columns} and f"{owner}_id" in columns:
        return f"Did you mean {own} of {home.name}? Join it by {owner}_id = {home.name}.id."
    hint = f"Did you mean {close[0]}? " if close else ""
    return f"{hint}It has {', '.join(columns)}."


def nearest_column(name: str) -> str:
    """Return advice for a column that is not there: those most like it, with their tables."""
    short = name.rpartition(".")[2].lower()
    close = [
        column
        for column in get_close_matches(short, COLUMN_NAMES, n=3, cutoff=0.6)
        # A slip seldom changes the first letter: another word that looks alike is no advice.
        if column[0] == short[0] or short in column or column in short
    ]
    if not close:
        return "catalog.schema has the columns of each table."
    homes = [
        f"{column} ({', '.join(table.name for table in TABLES if column in {c.name for c in table.columns})})"
        for column in close
    ]
    return f"Did you mean {' or '.join(homes)}? catalog.schema has all columns."
