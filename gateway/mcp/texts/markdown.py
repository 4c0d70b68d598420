"""JSON objects as Markdown: a line for each member, and a table for each list of objects or of lists.

It is for reading, and not lossless: in a table null and an empty list are both an empty cell. Texts of third parties
cannot leave their line or cell.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, cast

Members = Mapping[str, Any]

_BREAKS: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SYNTAX: Final = re.compile(r"[|\\`<[]")


def markdown(value: Members) -> str:
    """Return a JSON object as Markdown."""
    return "\n".join(_lines(value))


def _lines(value: Members) -> Iterator[str]:
    """Return the lines of an object; where it has rows and their columns, these are the header of the rows."""
    header = _header(value)
    for name, member in value.items():
        if header is None or name not in ("columns", "rows"):
            yield from _member(name, member)
        elif name == "rows":
            yield from _grid(name, member, header)


def _header(value: Members) -> list[str] | None:
    """Return the names of `columns` where an object has them and `rows` of as many values; None for others."""
    columns, rows = value.get("columns"), value.get("rows")
    if not (_is_table(columns) and _is_grid(rows)):
        return None
    names = [str(column.get("name")) for column in cast("Sequence[Members]", columns)]
    fits = all(len(row) == len(names) for row in cast("Sequence[Sequence[Any]]", rows))
    return names if fits else None


def _member(name: str, value: Any) -> Iterator[str]:
    """Return the lines of a member: its own, then the tables of the lists of objects within it."""
    if _is_table(value):
        yield from _table(name, cast("Sequence[Members]", value))
        return
    if _is_grid(value):
        yield from _grid(name, value)
        return
    if not isinstance(value, dict):
        yield f"- {_text(name)}: {_cell(value) or 'none'}"
        return
    members = dict(_flat(cast("Members", value)))
    tables = {path for path, member in members.items() if _is_table(member) or _is_grid(member)}
    yield f"- {_text(name)}: {_pairs({key: members[key] for key in members if key not in tables})}"
    for path, member in members.items():
        if path in tables:
            yield from _member(f"{name}.{path}", member)


def _table(name: str, rows: Sequence[Members]) -> Iterator[str]:
    flat = [dict(_flat(row)) for row in rows]
    columns = _columns(flat)
    yield f"\n{_text(name)} ({len(rows)}):\n"
    yield _row(map(_text, columns))
    yield _row("-" for _ in columns)
    for row in flat:
        yield _row(_cell(row.get(column)) for column in columns)
    yield ""


def _grid(
    name: str, rows: Sequence[Sequence[Any]], header: Sequence[str] | None = None
) -> Iterator[str]:
    """Return a table with a line for each list; without a header its columns have numbers."""
    width = max(1, *(len(row) for row in rows)) if header is None else len(header)
    names = [str(number + 1) for number in range(width)] if header is None else header
    yield f"\n{_text(name)} ({len(rows)}):\n"
    yield _row(map(_text, names))
    yield _row("-" for _ in names)
    for row in rows:
        yield _row([*map(_cell, row), *[""] * (width - len(row))])
    yield ""


def _columns(rows: Iterable[Members]) -> list[str]:
    """Return the columns of rows in order; an object that is null in some rows has those of its members alone."""
    paths = list(dict.fromkeys(chain.from_iterable(rows)))
    parents = {path[: match.start()] for path in paths for match in re.finditer(r"\.", path)}
    return [path for path in paths if path not in parents]


def _flat(value: Members, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Return the members that are no objects, by path."""
    for name, member in value.items():
        if isinstance(member, dict) and member:
            yield from _flat(cast("Members", member), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", member


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and isinstance(next(iter(cast("list[Any]", value)), None), dict)


def _is_grid(value: Any) -> bool:
    """Return whether a value is a list of lists."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return bool(items) and all(isinstance(item, list) for item in items)


def _row(cells: Iterable[str]) -> str:
    # Some readers take the second of two backslashes for the escape of the bar behind it.
    apart = (f"{cell} " if cell.endswith("\\") else cell for cell in cells)
    return f"|{'|'.join(apart)}|"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return _pairs(dict(_flat(cast("Members", value))))
    if isinstance(value, list):
        items = cast("list[Any]", value)
        separator = "; " if _is_table(items) or _is_grid(items) else ", "
        return separator.join(map(_cell, items))
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(str(value))


def _pairs(members: Members) -> str:
    """Return members as "name value", without those that are null or empty."""
    cells = ((name, _cell(value)) for name, value in members.items())
    return ", ".join(f"{_text(name)} {cell}" for name, cell in cells if cell) or "none"


def _text(text: str) -> str:
    """Return a text that ends neither its line nor its cell, and begins no HTML and no code."""
    return _SYNTAX.sub(r"\\\g<0>", _BREAKS.sub(" ", text)).strip()
