"""The lines of a file, gzipped or plain, one at a time and of bounded length."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Final, cast

MAX_LINE_BYTES: Final = 1_048_576
"""Bytes that a line has at most; longer ones are passed over."""

DAMAGED: Final = "the archive is damaged from here on"
"""The problem of the last line of an archive that was cut off."""

_GZIP_MAGIC: Final = b"\x1f\x8b"


class UnreadableLine(ValueError):  # noqa: N818 - named for what was met
    """A line cannot be read; its message says why."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line's number, the first is 1, and its text, or why there is none."""

    number: int
    text: str
    problem: str | None = None


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines that are not blank, each with its text or its problem; a cut-off archive ends with one.

    Raises:
        OSError: The file cannot be opened.
    """
    number = 0
    with _open(path) as file:
        try:
            while raw := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                line = _line(number, raw)
                if line.problem is None and not line.text:
                    continue
                yield line
                if len(raw) > MAX_LINE_BYTES:
                    _skip_rest(file, raw)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            yield Line(number + 1, "", DAMAGED)


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        magic = file.read(len(_GZIP_MAGIC))
    if magic == _GZIP_MAGIC:
        return cast("BinaryIO", gzip.open(path, "rb"))
    return path.open("rb")


def _line(number: int, raw: bytes) -> Line:
    if len(raw) > MAX_LINE_BYTES:
        return Line(number, "", f"longer than {MAX_LINE_BYTES} bytes")
    try:
        return Line(number, raw.decode("utf-8-sig" if number == 1 else "utf-8").strip())
    except UnicodeDecodeError:
        return Line(number, "", "not UTF-8")


def _skip_rest(file: IO[bytes], raw: bytes) -> None:
    while raw and not raw.endswith(b"\n"):
        raw = file.readline(MAX_LINE_BYTES + 1)
