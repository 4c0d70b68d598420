"""Results of tools as rows: CSV for spreadsheets, Markdown for people.

Names and titles are other people's text: none becomes a formula, a column, or an order to the terminal.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from cli.service.errors import ArgumentError
from cli.text import one_line

Row = Mapping[str, Any]
_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The first characters by which spreadsheets take a text for a formula (OWASP, "CSV Injection")."""


def lists_of(result: Row) -> dict[str, Sequence[Row]]:
    """Return the lists of objects in a result, by name, in their order."""
    return {
        name: cast("list[Row]", value)
        for name, value in result.items()
        if isinstance(value, list)
        and value
        and all(isinstance(item, Mapping) for item in cast("list[Any]", value))
    }


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


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV (RFC 4180) in which no text is a formula."""
    columns = _columns(rows)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([_inert(_text(column)) for column in columns])
    writer.writerows([[_cell(row.get(column)) for column in columns] for row in rows])
    return file.getvalue() if columns else ""


def as_markdown(rows: Sequence[Row]) -> str:
    """Return rows as a table of Markdown."""
    columns = _columns(rows)
    if not columns:
        return "No rows.\n"
    lines = [columns, ["---"] * len(columns)]
    lines += [[_text(row.get(column)) for column in columns] for row in rows]
    return "".join(f"| {' | '.join(map(_escaped, line))} |\n" for line in lines)


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(column for row in rows for column in row))


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
