"""JSON objects as Markdown: a line for each member, and a table for each list of objects.

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
    blocks = chain.from_iterable(_member(name, member) for name, member in value.items())
    return "\n".join(blocks)


def _member(name: str, value: Any) -> Iterator[str]:
    """Return the lines of a member: its own, then the tables of the lists of objects within it."""
    if _is_table(value):
        yield from _table(name, cast("Sequence[Members]", value))
        return
    if not isinstance(value, dict):
        yield f"- {_text(name)}: {_cell(value) or 'none'}"
        return
    members = dict(_flat(cast("Members", value)))
    tables = {path for path, member in members.items() if _is_table(member)}
    yield f"- {_text(name)}: {_pairs({key: members[key] for key in members if key not in tables})}"
    for path, member in members.items():
        if path in tables:
            yield from _table(f"{name}.{path}", member)


def _table(name: str, rows: Sequence[Members]) -> Iterator[str]:
    flat = [dict(_flat(row)) for row in rows]
    columns = _columns(flat)
    yield f"\n{_text(name)} ({len(rows)}):\n"
    yield _row(map(_text, columns))
    yield _row("-" for _ in columns)
    for row in flat:
        yield _row(_cell(row.get(column)) for column in columns)
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


def _row(cells: Iterable[str]) -> str:
    return f"|{'|'.join(cells)}|"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return _pairs(dict(_flat(cast("Members", value))))
    if isinstance(value, list):
        items = cast("list[Any]", value)
        separator = "; " if _is_table(items) else ", "
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
