"""Rows as CSV (RFC 4180) whose cells no spreadsheet takes for a formula (OWASP: CSV injection)."""

import csv
import io
from collections.abc import Iterable
from datetime import date
from typing import Final

Cell = str | int | float | bool | date | None

_STARTS: Final = frozenset("=+-@\uff1d\uff0b\uff0d\uff20'")
"""First characters of formulas, those of full width included, and the mark that prevents one."""

_CONTROLS: Final = ("\t", "\r", "\n")


def guarded(cell: Cell) -> Cell:
    """Return a cell as it goes into a file: text that would begin a formula has an apostrophe before it.

    Leaving out the first apostrophe of a text that has one gives the text. Numbers stay numbers, so that negative ones
    can be summed.
    """
    if not isinstance(cell, str):
        return cell
    bare = cell.lstrip()
    return f"'{cell}" if (bare[:1] in _STARTS and bare) or cell.startswith(_CONTROLS) else cell


def bare_handle(handle: str | None) -> str:
    """Return a creator's handle as it goes into a file: without its "@", which would need an apostrophe."""
    return (handle or "").removeprefix("@")


def csv_text(rows: Iterable[Iterable[Cell]]) -> str:
    """Return rows as lines of CSV."""
    text = io.StringIO()
    csv.writer(text).writerows([guarded(cell) for cell in row] for row in rows)
    return text.getvalue()
