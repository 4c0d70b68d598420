"""Chapters of a video: lines of its description that have a time and a title."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

MAX_CHAPTERS: Final = 500
"""Chapters that are read from one description; real descriptions have fewer."""

_READ: Final = 10_000
_MAX_TITLE: Final = 200
_MIN_CHAPTERS: Final = 3
"""Fewest chapters that YouTube itself shows, if the first begins at 0:00."""

_FULL_WIDTH: Final = str.maketrans("０１２３４５６７８９：", "0123456789:")
_STAMP: Final = r"(?<![\w:.,/])(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)(?![\w:])"
_DASH: Final = r"\s*(?:[-–—~～→]|to)\s*"
_TIME: Final = re.compile(rf"{_STAMP}(?:{_DASH}{_STAMP})?")
_AROUND: Final = " \t\r\u3000-–—~|:.,;•*·▶►➤→>»()[]（）【】"
_LEAD: Final = re.compile(r"[\W_]*")
_SIGN_OF_TIME: Final = re.compile(r"[:：][0-5０-５]")
_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter.

    Attributes:
        title: Its title, as it is written.
        start: Second at which it begins.
        end: Second at which it ends, when that is known.
        line_start: First character of its line in the description.
        line_end: One past its last character.
    """

    title: str
    start: int
    end: int | None
    line_start: int
    line_end: int


def chapters(description: str, duration_seconds: int | None = None) -> tuple[Chapter, ...]:
    """Return the chapters of a description in the order of the video, at most one at each second.

    A chapter ends where its line says so, else where the next one begins. The last one ends with the
    video if the description lists the whole video from 0:00 on.
    """
    if not _SIGN_OF_TIME.search(description, 0, _READ):
        return ()
    found: dict[int, Chapter] = {}
    for chapter in _read(description[:_READ].translate(_FULL_WIDTH)):
        if duration_seconds is None or chapter.start < duration_seconds:
            found.setdefault(chapter.start, chapter)
        if len(found) == MAX_CHAPTERS:
            break
    ordered = [found[start] for start in sorted(found)]
    is_whole = len(ordered) >= _MIN_CHAPTERS and ordered[0].start == 0
    last = duration_seconds if is_whole else None
    following = [*(chapter.start for chapter in ordered[1:]), last]
    return tuple(
        replace(chapter, end=chapter.end or next_start)
        for chapter, next_start in zip(ordered, following, strict=False)
    )


def _read(text: str) -> Iterator[Chapter]:
    at = 0
    for line in text.split("\n"):
        if _SIGN_OF_TIME.search(line):
            yield from _of_line(line, at)
        at += len(line) + 1


def _of_line(line: str, at: int) -> Iterator[Chapter]:
    """Read a line that begins or ends with a time; one with lost breaks has several chapters."""
    times = list(_TIME.finditer(line))
    if times and _LEAD.fullmatch(line[: times[0].start()]):
        ends = [*(time.start() for time in times[1:]), len(line)]
        for time, end in zip(times, ends, strict=True):
            yield from _chapter(time, line[time.end() : end], at + time.start(), at + end)
    elif len(times) == 1 and _LEAD.fullmatch(line[times[0].end() :]):
        yield from _chapter(times[0], line[: times[0].start()], at, at + len(line))


def _chapter(time: re.Match[str], text: str, line_start: int, line_end: int) -> Iterator[Chapter]:
    title = text.strip(_AROUND)
    if _LETTER.search(title) and len(title) <= _MAX_TITLE:
        start, end = _seconds(time, 1) or 0, _seconds(time, 4) or 0
        yield Chapter(title, start, end if end > start else None, line_start, line_end)


def _seconds(time: re.Match[str], group: int) -> int | None:
    hours, minutes, seconds = time.group(group, group + 1, group + 2)
    if minutes is None:
        return None
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
