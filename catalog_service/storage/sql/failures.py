"""Errors of Postgres as the caller of a statement gets them: in its own words, with the place and a remedy."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg import errors as pg

from catalog_service.domain.sql.errors import (
    SqlLimitReached,
    SqlRefused,
    nearest_column,
    nearest_table,
)
from catalog_service.storage.sql.slots import RETRY_SECONDS
from servicekit.errors import Unavailable

_TOO_LARGE: Final = (
    pg.ConfigurationLimitExceeded,
    pg.OutOfMemory,
    pg.DiskFull,
)
_PROGRAM_LIMITS: Final = "54"
"""Class of the errors of what is too large in itself: arguments of a call, columns of a row, depth."""

COUNTS: Final = "It counts as a request for each full second."
_ROUNDINGS: Final = ("function round(double", "function trunc(double")
_PREFIXES: Final = ("sp_", "yt_", "v_")


@contextmanager
def reported(sql: str, seconds: float, *, sent_before: int = 0) -> Generator[None]:
    """Raise errors of Postgres as those of the caller's statement; `sent_before` characters went before its text."""
    try:
        yield
    except psycopg.Error as error:
        raise refused(error, sql, seconds, sent_before=sent_before) from error


def refused(error: psycopg.Error, sql: str, seconds: float, *, sent_before: int) -> Exception:
    """Return the error for the caller."""
    if isinstance(error, pg.QueryCanceled):
        return too_slow(seconds)
    if isinstance(error, _TOO_LARGE):
        return SqlLimitReached(
            f"The statement needs more memory or disk than it may have ({error.diag.message_primary}) and was ended. "
            f"{COUNTS} Read fewer rows."
        )
    primary = error.diag.message_primary
    if (error.sqlstate or "").startswith(_PROGRAM_LIMITS):
        return SqlRefused(
            f"The statement is larger than Postgres takes ({primary}). Write fewer columns, arguments or nested parts.",
            sql,
        )
    if primary is None and isinstance(error, psycopg.DataError):
        return SqlRefused("A value of the result cannot be shown; cast it to text.", sql)
    if primary is None or isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return Unavailable(
            "The catalogue's database ended this statement. Try again in a few seconds.",
            retry_after=RETRY_SECONDS,
        )
    position = error.diag.statement_position
    offset = None if position is None else int(position) - 1 - sent_before
    hints = _hints(error, primary)
    return SqlRefused(" ".join([f"Postgres refuses this: {primary}.", *hints]), sql, offset)


def _hints(error: psycopg.Error, primary: str) -> list[str]:
    own = error.diag.message_hint
    named = primary.split('"')[1] if primary.count('"') >= 2 else _second_word(primary)
    if isinstance(error, pg.UndefinedColumn):
        return [nearest_column(named)]
    if isinstance(error, pg.UndefinedTable) and primary.startswith("relation"):
        return [nearest_table(named)]
    if isinstance(error, pg.InvalidTextRepresentation) and named.startswith(_PREFIXES):
        return ["Ids are numbers here: those of other tools without sp_, yt_ or v_."]
    if isinstance(error, pg.UndefinedFunction) and primary.startswith(_ROUNDINGS):
        return ["Cast the number first: round(x::numeric, 2)."]
    if isinstance(error, pg.DatetimeFieldOverflow):
        return ["Write days as 2024-01-31."]
    return [own] if own else []


def _second_word(text: str) -> str:
    words = text.split(" ")
    return words[1] if len(words) > 1 else ""


def too_slow(seconds: float) -> SqlLimitReached:
    """Return the error of a statement that was ended at its time limit."""
    return SqlLimitReached(
        f"The statement took longer than {seconds:g} seconds and was ended. {COUNTS} Bound it by day, brand or creator, or read "
        "`months` and `relations`, which are totals already."
    )
