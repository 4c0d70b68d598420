"""The log files of child processes, on a disk that may be full or broken."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from devstack.files import private

_TAIL_BYTES: Final = 64 * 1024


@contextmanager
def appended(log: Path) -> Generator[BinaryIO]:
    """Yield the file to write to; nowhere if it cannot be opened: a process without a log is better than none."""
    with _opened(log) as output:
        yield output


def _opened(log: Path) -> BinaryIO:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return open(log, "ab", opener=private)
    except OSError:
        return Path(os.devnull).open("wb")


def last_lines(log: Path, lines: int) -> str:
    """Return the end of a log; nothing if it cannot be read."""
    try:
        with log.open("rb") as file:
            file.seek(-min(_TAIL_BYTES, file.seek(0, os.SEEK_END)), os.SEEK_END)
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.strip().splitlines()[-lines:])


def size_of(log: Path) -> int:
    """Return how many bytes a log has; 0 if there is none."""
    try:
        return log.stat().st_size
    except OSError:
        return 0


def text_from(log: Path, start: int) -> str:
    """Return what a log has from a byte on; nothing if it cannot be read."""
    try:
        with log.open("rb") as file:
            file.seek(start)
            return file.read(_TAIL_BYTES).decode(errors="replace").strip()
    except OSError:
        return ""
