"""Names in a list of sponsors or codes that no link carries: handles, and the names of its entries."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from import_worker.detector.brand_names import (
    end_before_and,
    read_name,
    run_on,
    spelled_by_handle,
)
from import_worker.detector.document import Document
from import_worker.detector.entry_names import EntryName, code_in, name_of_entry
from import_worker.detector.folding import name_key
from import_worker.detector.headings import Heading, headings
from import_worker.detector.links import Link, lost_line_breaks
from import_worker.detector.list_entries import behind_heading, entries_of
from import_worker.detector.persons import is_relative, supporters
from import_worker.detector.phrases.entry_words import ROLE_LINE
from import_worker.detector.phrases.exclusions import CREDITS, FANS, FANS_OF_MONTH, PUBLIC_BODY
from import_worker.detector.phrases.headings import Topic
from import_worker.detector.phrases.name_words import HANDLE_SUFFIX
from import_worker.detector.phrases.other_subjects import OTHER_OBJECT, OTHER_SUBJECT
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found, from_name

_HANDLE: Final = re.compile(r"(?:(?<![a-z0-9.])|(?<=oficial)|(?<=official))@([A-Za-z][\w.]{2,30})")
_SEPARATED: Final = re.compile(r"[._]+")
_CREDIT: Final = re.compile(r"\W*[^\W\d_][^:\n]{2,40}:")
_COMMA: Final = re.compile(
    r"\s*(?:,|;|/|&|\+)\s*(?:(?:and|und|et|y|e|i|en|og|och|ve|и|і|та|dan|và)\s)?|\s(?:and|und|et|y|e|i|en|og|och|ve|и|і|та|dan|và)\s"
)
_FEWEST_LINES: Final = 2
_ROLES_WITHIN: Final = 600
"""Characters above an entry in which a line may say what the brands below it gave."""

_LINE: Final = 80
"""Characters of a heading's line."""

_READ: Final = 3_000
"""Characters of a text in which a handle's name is looked for."""


ListedBy = Literal["handle", "line", "role", "offer", "tail"]


@dataclass(frozen=True, slots=True)
class Listed:
    """A brand of a list, how its entry names it, the code beside it, and how many names the list has.

    `start` and `end` are the entry's.
    """

    topic: Topic
    found: Found
    by: ListedBy
    code: str | None
    start: int
    end: int
    size: int = 1


def listed_names(reading: Reading) -> Iterator[Listed]:
    """Yield the brands that a list under a heading for sponsors names; under one for codes, those with an offer."""
    document = reading.document
    found_headings = headings(document.lowered)
    for index, (first, start, topic) in enumerate(found_headings):
        if topic not in {"sponsors", "affiliate"} or _is_of_fans(document, first, start):
            continue
        end = _end_of_list(document, topic, start, found_headings[index + 1 :])
        shared = code_in(reading, first, behind_heading(document.folded, start, end))
        entries = entries_of(document, start, end)
        names = list(_names(reading, topic, entries))
        persons = supporters(reading, [listed.found for listed in names])
        names = [
            listed
            for listed in names
            if listed.found not in persons and not is_relative(reading, listed.found)
        ]
        for listed in names:
            if topic == "sponsors" or listed.by == "offer":
                sized = replace(listed, size=len(names))
                yield replace(sized, by="offer", code=shared) if shared else sized


def _is_of_fans(document: Document, start: int, end: int) -> bool:
    lowered = document.lowered
    line = lowered.rfind("\n", 0, start) + 1
    line_end = lowered.find("\n", end)
    heading = lowered[max(line, start - 20) : line_end if line_end > 0 else len(lowered)][:_LINE]
    if FANS_OF_MONTH.search(heading):
        return True
    return (
        FANS.search(lowered, max(line, start - 20), end) is not None
        or OTHER_OBJECT.search(heading) is not None
        or OTHER_SUBJECT.search(lowered[max(line, start - 20) : start]) is not None
    )


def _end_of_list(document: Document, topic: Topic, start: int, later: Sequence[Heading]) -> int:
    ends = [
        at
        for at, _, other in later
        if at > start and other != "own" and (other == topic or _begins_line(document, at))
    ]
    return min([*ends, len(document.folded)])


def _begins_line(document: Document, at: int) -> bool:
    """Return whether a heading begins its line: elsewhere it is a word of an entry, but for texts that lost their line breaks."""
    line = document.folded.rfind("\n", 0, at) + 1
    return lost_line_breaks(document.folded) or not any(
        c.isalnum() for c in document.folded[line:at]
    )


def _names(reading: Reading, topic: Topic, entries: list[tuple[int, int]]) -> Iterator[Listed]:
    is_single = len(entries) < _FEWEST_LINES
    for start, end in entries:
        if _is_credit(reading.document, start, end):
            return
        links = reading.document.links_in(start, end)
        if links and not _is_profile_under_role(reading.document, start, links):
            continue
        last = links[0].start if links else end
        named = name_of_entry(reading, start, last)
        if named:
            yield from _of_entry(reading, topic, named, last, is_single=is_single)
        yield from _handles(reading, topic, (start, last), named)


def _is_profile_under_role(document: Document, start: int, links: Sequence[Link]) -> bool:
    """Return whether the links of an entry are profiles, and the lines above say what the brand gave."""
    return all(link.kind == "platform" for link in links) and is_under_role(document, start)


def is_under_role(document: Document, start: int) -> bool:
    """Return whether the lines above an entry say what the brands of its block gave: "Clothes"."""
    above = document.lowered[max(start - _ROLES_WITHIN, 0) : start].split("\n")[:-1]
    for line in reversed(above):
        if not line.strip():
            return False
        if ROLE_LINE.fullmatch(line):
            return True
    return False


def _is_credit(document: Document, start: int, end: int) -> bool:
    credit = _CREDIT.match(document.lowered, start, end)
    return credit is not None and CREDITS.search(credit.group()) is not None


def _of_entry(
    reading: Reading, topic: Topic, named: EntryName, end: int, *, is_single: bool
) -> Iterator[Listed]:
    """Yield the brand of an entry; an entry that is the whole list may name several."""
    folded = reading.document.folded
    by = named.form
    names = [(named.start, named.end)]
    if is_single and by != "offer":
        names += _following(reading, named.end, end)
        by = "line" if len(names) > 1 else by
    if lost_line_breaks(folded):
        names = [part for name in names for part in _run_apart(folded, *name)]
    for first, last in names:
        found = from_name(folded[first:last], first, reading.directory, reading.context)
        if found and (found.known or not PUBLIC_BODY.search(found.name.lower())):
            yield Listed(topic, found, by, named.code, first, end)


def _following(reading: Reading, at: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the names that commas or words join to the first of a list."""
    folded = reading.document.folded
    while joined := _COMMA.match(folded, at, end):
        span = read_name(folded, joined.end(), end)
        if span is None:
            return
        start, at = span
        if not _COMMA.match(folded, at, end) and not reading.directory.named(folded[start:at]):
            at = end_before_and(folded, start, at)
        yield start, at


def _run_apart(folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the names that ran together where line breaks were lost."""
    while cut := run_on(folded, start + 1, end):
        yield start, cut
        start = cut
    yield start, end


def _handles(
    reading: Reading, topic: Topic, entry: tuple[int, int], named: EntryName | None
) -> Iterator[Listed]:
    """Yield the brands of an entry's handles, unless the name before a handle is what it spells."""
    folded = reading.document.folded
    spelled = name_key(folded[named.start : named.end]) if named else ""
    for handle in _HANDLE.finditer(folded, *entry):
        written = handle.group(1).rstrip("._")
        bare = _SEPARATED.sub(" ", HANDLE_SUFFIX.sub("", written).strip("._") or written)
        if spelled and spelled[:4] in name_key(bare):
            continue
        bare = spelled_by_handle(bare, reading.document.folded[:_READ]) or bare
        if found := from_name(bare, handle.start(1), reading.directory, reading.context):
            yield Listed(topic, found, "handle", None, handle.start(), entry[1])
