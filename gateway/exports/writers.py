"""Writers of tables as CSV, Markdown and JSON Lines, part by part; that of Parquet is a module of its own."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final, Protocol

from gateway.domain.exports import Format
from gateway.exports.columns import Column, ColumnType, Rows, Value
from servicekit.csv_rows import Cell, bare_handle, guarded


class Writer(Protocol):
    """Writes one table. The parts in order are the file."""

    def begin(self) -> bytes: ...

    def rows(self, rows: Rows) -> bytes: ...

    def end(self, cut_off: str | None = None) -> bytes:
        """Return the end of the file, with why further rows are left out, where the format has a place for that."""
        ...


class CsvWriter:
    """CSV by RFC 4180 with a line of names. Texts that a spreadsheet would take for a formula begin with an apostrophe.

    Handles are without their "@", so that they need none.

    https://owasp.org/www-community/attacks/CSV_Injection
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns

    def begin(self) -> bytes:
        return _csv([[guarded(column.name) for column in self._columns]])

    def rows(self, rows: Rows) -> bytes:
        return _csv(
            [
                [_cell(value, column) for value, column in zip(row, self._columns, strict=True)]
                for row in rows
            ]
        )

    def end(self, cut_off: str | None = None) -> bytes:  # noqa: ARG002 - a further line would be read as a row
        return b""


def _csv(rows: Sequence[Sequence[Cell]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _cell(value: Value, column: Column) -> Cell:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and column.name.rpartition(".")[2] == "handle":
        return guarded(bare_handle(value))
    # Decimals of many digits come as texts.
    return value if column.kind == "number" else guarded(value)


class MarkdownWriter:
    """A table of GitHub Flavored Markdown, in which no text is markup."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns

    def begin(self) -> bytes:
        names = [_shown(column.name) for column in self._columns]
        return _line(names) + _line(["---"] * len(names))

    def rows(self, rows: Rows) -> bytes:
        return b"".join(_line([_shown(value) for value in row]) for row in rows)

    def end(self, cut_off: str | None = None) -> bytes:
        return b"" if cut_off is None else f"\n{_shown(cut_off)}\n".encode()


_ESCAPES: Final = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        "\r": "&#13;",
        "\n": "&#10;",
        **{character: f"&#{ord(character)};" for character in "\\`*_[]()|~!#:@"},
    }
)


_INSIDE_WORD: Final = re.compile(r"(?<=[A-Za-z0-9])&#95;(?=[A-Za-z0-9])")
"""An underscore that is no markup where it is, as in ids, which have to be read as they are."""


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "" if value is None else str(value).translate(_ESCAPES)
    return _INSIDE_WORD.sub("_", text)


def _line(cells: Sequence[str]) -> bytes:
    return f"| {' | '.join(cells)} |\n".encode()


class JsonLinesWriter:
    """An object a line, with the names of the columns; lists are lists, and numbers numbers."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns

    def begin(self) -> bytes:
        return b""

    def rows(self, rows: Rows) -> bytes:
        lines = [
            {
                column.name: _member(value, column.kind)
                for value, column in zip(row, self._columns, strict=True)
            }
            for row in rows
        ]
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()

    def end(self, cut_off: str | None = None) -> bytes:  # noqa: ARG002 - a further line would be read as a row
        return b""


def _member(value: Value, kind: ColumnType) -> object:
    if isinstance(value, str) and kind == "json":
        return json.loads(value)
    return float(value) if isinstance(value, str) and kind == "number" else value


def _parquet_writer(columns: Sequence[Column]) -> Writer:
    # Its library takes a second and 60 MB, which only those pay who write a file of it.
    return import_module("gateway.exports.parquet").ParquetWriter(columns)


@dataclass(frozen=True, slots=True)
class FileType:
    """What a file of a format is called, and what makes it."""

    media_type: str
    ending: str
    writer: Callable[[Sequence[Column]], Writer]


FILE_TYPES: Final[Mapping[Format, FileType]] = {
    "csv": FileType("text/csv; charset=utf-8", "csv", CsvWriter),
    "parquet": FileType("application/vnd.apache.parquet", "parquet", _parquet_writer),
    "markdown": FileType("text/markdown; charset=utf-8", "md", MarkdownWriter),
    "jsonl": FileType("application/jsonl; charset=utf-8", "jsonl", JsonLinesWriter),
}
