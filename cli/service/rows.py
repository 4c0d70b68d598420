"""Results of tools as rows: CSV for spreadsheets, Markdown for people.

Names and titles are other people's text: none becomes a formula, a column, or an order to the terminal.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final, cast

from cli.service.errors import ArgumentError
from cli.text import one_line

Row = Mapping[str, Any]
_ROWS: Final = "rows"
"""The list of a statement's rows, each a list of values in the order of the result's `columns`."""

_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The first characters by which spreadsheets take a text for a formula (OWASP, "CSV Injection")."""


def lists_of(result: Row) -> dict[str, Sequence[Row]]:
    """Return the lists of rows in a result, by name, in their order; the rows of a statement before all others.

    Rows that are lists of values have the names of the result's columns.
    """
    names = _names_of_values(result)
    lists: dict[str, Sequence[Row]] = {
        name: cast("list[Row]", value)
        for name, value in result.items()
        if isinstance(value, list)
        and value
        and all(isinstance(item, Mapping) for item in cast("list[Any]", value))
    }
    if names is None:
        return lists
    values = cast("list[list[Any]]", result[_ROWS])
    return {_ROWS: [dict(zip(names, row, strict=True)) for row in values], **lists}


def rows_of(result: Row, name: str = "") -> list[dict[str, Any]]:
    """Return the rows of a result: those of the list `name`, else of the first; without one, the result itself.

    Raises:
        ArgumentError: The result has no such list.
    """
    lists = lists_of(result)
    if name and name not in lists:
        if result.get(name) == []:
            return []
        known = f" It has {', '.join(lists)}." if lists else ""
        raise ArgumentError(f"The result has no list {name}.{known}")
    if not name and not lists:
        if any(value == [] for value in result.values()):
            return []
        return [_flat(result)]
    rows = lists[name] if name else next(iter(lists.values()))
    return [_flat(row) for row in rows]


def head_of(result: Row, name: str = "") -> Sequence[str]:
    """Return the columns that the rows of `rows_of` have even if there are none; empty if only the rows tell."""
    return (_names_of_values(result) or ()) if name in ("", _ROWS) else ()


def as_csv(rows: Sequence[Row], head: Sequence[str] = ()) -> str:
    """Return rows as CSV (RFC 4180) in which no text is a formula, with the columns of `head` first."""
    columns = _columns(rows, head)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([_inert(_text(column)) for column in columns])
    writer.writerows([[_cell(row.get(column)) for column in columns] for row in rows])
    return file.getvalue() if columns else ""


def as_markdown(rows: Sequence[Row], head: Sequence[str] = ()) -> str:
    """Return rows as a table of Markdown, with the columns of `head` first."""
    columns = _columns(rows, head)
    if not columns:
        return "No rows.\n"
    lines = [columns, ["---"] * len(columns)]
    lines += [[_text(row.get(column)) for column in columns] for row in rows]
    return "".join(f"| {' | '.join(map(_escaped, line))} |\n" for line in lines)


def _names_of_values(result: Row) -> list[str] | None:
    """Return the names of the values of each row, repeated ones with numbers; None if rows are no lists of values."""
    columns, rows = result.get("columns"), result.get(_ROWS)
    if not isinstance(columns, list) or not isinstance(rows, list):
        return None
    if not all(isinstance(row, list) for row in cast("list[Any]", rows)):
        return None
    return _distinct([str(column["name"]) for column in cast("list[Row]", columns)])


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names of which repeated ones have numbers: a, a_2, a_3."""
    found: list[str] = []
    for name in names:
        numbered = (f"{name}_{number}" for number in count(2))
        taken = {*names, *found}
        found.append(name if name not in found else next(n for n in numbered if n not in taken))
    return found


def _columns(rows: Sequence[Row], head: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*head, *(column for row in rows for column in row)]))


def _flat(row: Row, prefix: str = "") -> dict[str, Any]:
    """Return a row whose inner objects are columns of their own, such as `sponsor.name`."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            flat |= _flat(cast("Row", value), f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _cell(value: Any) -> str:
    """Return a value for CSV; numbers stay numbers, below zero too."""
    if isinstance(value, int | float):
        return _text(value)
    return _inert(_text(value))


def _inert(text: str) -> str:
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if all(isinstance(item, str | int | float) for item in items):
            return "; ".join(map(_text, items))
        return one_line(json.dumps(items, ensure_ascii=False))
    return one_line(str(value))


def _escaped(text: str) -> str:
    for character in "\\|<`[":
        text = text.replace(character, f"\\{character}")
    return text
