"""Names in a sponsor block that no link carries: handles, and lines that are no more than a name."""

import re
from collections.abc import Iterator
from typing import Final, Literal

from import_worker.detector.brand_names import read_name, run_on
from import_worker.detector.document import Document
from import_worker.detector.items import headings
from import_worker.detector.links import lost_line_breaks
from import_worker.detector.phrases.exclusions import CREDITS
from import_worker.detector.phrases.name_words import HANDLE_SUFFIX
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found, from_name

_HANDLE: Final = re.compile(r"(?:(?<![a-z0-9.])|(?<=oficial)|(?<=official))@([A-Za-z][\w.]{2,30})")
_BULLET: Final = re.compile(r"[\s\-•*►➜➤→·▪✔✅+>|\[(]*")
_ROLE: Final = re.compile(
    r"(?:[^\W\d_]+ ){0,3}(?:partner|sponsor|patrocinador|partenaire|партн[её]р|спонсор)s? ?[:\-–—] ?",
    re.IGNORECASE,
)
"""What a sponsor is to a show, before its name: "Nutrition partner: Acme"."""

_CREDIT: Final = re.compile(r"[^\W\d_][^:\n]{2,40}:", re.IGNORECASE)
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SEPARATED: Final = re.compile(r"[._]+")
ListedBy = Literal["handle", "line"]

_REACH: Final = 700
_MAX_LINES: Final = 24
_NEXT_NAMES: Final = re.compile(r"\s*(?:,|/|&|\||·|•|;| - | e | y | and | et | und | и )\s*")


def listed_names(reading: Reading) -> Iterator[tuple[Found, ListedBy]]:
    """Yield the brands named by a handle, or alone on a line, under a heading for sponsors."""
    document = reading.document
    found_headings = headings(document.lowered)
    for index, (_, start, topic) in enumerate(found_headings):
        if topic != "sponsors":
            continue
        ends = [at for at, _, other in found_headings[index + 1 :] if other != "sponsors"][:1]
        end = _block_end(document, start, ends)
        for found in _handles(reading, start, end):
            yield found, "handle"
        for found in _lines(reading, start, end):
            yield found, "line"


def _block_end(document: Document, start: int, ends: list[int]) -> int:
    blank = document.folded.find("\n\n", start + 2)
    return min([*ends, start + _REACH, len(document.folded), *([blank] if blank > 0 else [])])


def _handles(reading: Reading, start: int, end: int) -> Iterator[Found]:
    for handle in _HANDLE.finditer(reading.document.folded, start, end):
        written = handle.group(1).rstrip("._")
        bare = _SEPARATED.sub(" ", HANDLE_SUFFIX.sub("", written).strip("._") or written)
        if found := from_name(bare, handle.start(1), reading.directory, reading.context):
            yield found


def _lines(reading: Reading, start: int, end: int) -> Iterator[Found]:
    document = reading.document
    at = start
    for _ in range(_MAX_LINES):
        if at >= end:
            return
        bullet = _BULLET.match(document.folded, at, end)
        at = bullet.end() if bullet else at
        stop = document.folded.find("\n", at, end)
        stop = end if stop < 0 else stop
        if role := _ROLE.match(document.folded, at, stop):
            at = role.end()
        elif (credit := _CREDIT.match(document.lowered, at, stop)) and CREDITS.search(
            credit.group()
        ):
            return
        for first, last in _names_of_line(document, at, stop):
            name = document.folded[first:last]
            if found := from_name(name, first, reading.directory, reading.context):
                yield found
        at = stop + 1


def _is_prose(folded: str, span: tuple[int, int], stop: int) -> bool:
    """Return whether a name in a script without capitals is only the beginning of a line."""
    return _CJK.match(folded, span[0]) is not None and bool(folded[span[1] : stop].strip(" )]"))


def _names_of_line(document: Document, at: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of the names that follow each other from `at` on, up to a link."""
    folded = document.folded
    unbroken = lost_line_breaks(folded)
    while span := read_name(folded, at, stop):
        if document.links_in(span[0], span[1] + 1) or _is_prose(folded, span, stop):
            return
        next_name = run_on(folded, span[0] + 1, span[1]) if unbroken else None
        last = next_name or span[1]
        yield span[0], last
        joined = _NEXT_NAMES.match(folded, last, stop)
        if joined is None and next_name is None:
            return
        at = joined.end() if joined else last
