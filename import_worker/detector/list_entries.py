"""The entries of a list under a heading: its lines, or what signs part where line breaks were lost."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from import_worker.detector.brand_names import run_on
from import_worker.detector.document import Document
from import_worker.detector.links import lost_line_breaks
from import_worker.detector.phrases.entry_words import (
    CODE_NAMES,
    ENDS_LIST,
    ENDS_UNBROKEN,
    ROLE_LINE,
)

_REACH_UNBROKEN: Final = 900
"""How far a list goes on where line breaks were lost, and nothing shows its end."""

_MAX_ENTRIES: Final = 300
_LONGEST: Final = 160
_ODD: Final = 2
"""How many lines in a row that are too long for an entry end a list."""

_SIGNS: Final = re.compile(r" ?// ?| / | \| ?|[•●▪■◆◇★☆✦✧»►▶➤✔✅·、・;]|(?<=\s)[-~*=](?=\s)")
_ANNOUNCING: Final = frozenset(":⬇▼↓👇⤵")
_TWO_WORDS: Final = re.compile(r"([A-ZÀ-Þ][\w'&.\-]*) [A-ZÀ-Þ][\w'&.\-]*\Z")
"""Capitalised words right before where the next name begins: one alone may be written in mixed case."""

_PICTURE: Final = "\u2190"
_SHORTEST_RULE: Final = 3
_LONGEST_INLINE: Final = 600
_BRACKET: Final = r"\([^()\n]{2,40}\)"
_NOTE: Final = re.compile(_BRACKET)
_ENTRY: Final = re.compile(
    rf"\s{{0,3}}(?P<entry>[^,;()\n]{{2,40}}(?:{_BRACKET})?)\s{{0,3}}(?:[,;]|$|\n)"
)
_ONE_NAME: Final = rf"\s{{0,3}}+[^\s,;()\n.!?][^,;()\n.!?]{{1,40}}+(?:{_BRACKET})?+\s{{0,3}}+"
_WITH_NOTE: Final = re.compile(rf"(?:{_ONE_NAME}[,;]){{1,40}}+{_ONE_NAME}\.?\s{{0,3}}+(?:\n|$)")
"""Names parted by commas up to the end of their line, each with a note in brackets or none. Nothing is read twice: it takes linear time."""
_FEWEST: Final = 2
"""Times that a sign stands in a line whose entries it parts."""

Span = tuple[int, int]


def entries_of(document: Document, start: int, end: int) -> list[Span]:
    """Return start and end of the entries between a heading's end and the block's, in order."""
    end = min(end, len(document.folded))
    if lost_line_breaks(document.folded):
        end = min(end, start + _REACH_UNBROKEN)
    found: list[Span] = []
    for line in _lines(document, start, end):
        for part in parted(document, *line):
            found += _run_apart(document.folded, *part)
        if len(found) >= _MAX_ENTRIES:
            break
    return found[:_MAX_ENTRIES]


def _run_apart(folded: str, start: int, end: int) -> Iterator[Span]:
    """Yield the entries that ran together where line breaks were lost: names of several words, without a sign between."""
    at = start + 1
    while lost_line_breaks(folded) and (cut := run_on(folded, at, end)):
        words = _TWO_WORDS.search(folded, start, cut)
        if words and words.group(1).lower() not in CODE_NAMES:
            yield start, cut
            start = cut
        at = cut + 1
    yield start, end


def behind_heading(folded: str, start: int, end: int) -> int:
    """Return where the list begins: on the next line when the heading's own ends in a colon or an arrow."""
    stop = folded.find("\n", start, end)
    is_heading = stop > start and folded[start:stop].rstrip()[-1:] in _ANNOUNCING
    return stop + 1 if is_heading else start


def _lines(document: Document, start: int, end: int) -> Iterator[Span]:
    """Yield the lines of a list; a blank line or a rule ends it, once it has begun.

    What stands behind the heading on its own line is all of the list, unless it goes on with the heading up to a colon.
    """
    folded = document.folded
    at, count, odd = behind_heading(folded, _first_line(folded, start), end), 0, 0
    start = at
    is_inline = folded[start - 1 : start] != "\n"
    while at < end:
        stop = _line_end(folded, at, end)
        if not any(map(str.isalnum, folded[at:stop])):
            if count and not _goes_on(document, at, stop, end):
                return
        elif ROLE_LINE.fullmatch(document.lowered, at, stop):
            count += 1
        else:
            odd = odd + 1 if _is_prose(folded, at, stop) else 0
            if odd >= _ODD or ENDS_LIST.match(document.lowered, at, stop):
                return
            if is_inline and at == start:
                yield at, _end_inline(document, at, stop)
                return
            count += 1
            yield at, stop
        at = stop + 1


def _first_line(folded: str, start: int) -> int:
    """Return where a list begins: at its line's beginning where the heading is of the line before."""
    line = folded.rfind("\n", 0, start) + 1
    return line if line < start and not any(c.isalnum() for c in folded[line:start]) else start


def _line_end(folded: str, at: int, end: int) -> int:
    stop = folded.find("\n", at, end)
    return end if stop < 0 else stop


def _is_prose(folded: str, at: int, stop: int) -> bool:
    """Return whether a line is longer than entries are, in a text that has its line breaks."""
    return stop - at > _LONGEST and not lost_line_breaks(folded)


def _goes_on(document: Document, at: int, stop: int, end: int) -> bool:
    """Return whether a list goes on behind a line without words.

    It does behind a small sign, and behind a blank line before the same bullet or a line of roles.
    """
    folded = document.folded
    if folded[at:stop].strip():
        return len(folded[at:stop].strip()) < _SHORTEST_RULE
    next_line = _next_line(folded, stop, end)
    if ROLE_LINE.fullmatch(document.lowered, *next_line):
        return True
    following = folded[slice(*next_line)][:1]
    before = folded[folded.rfind("\n", 0, max(at - 1, 0)) + 1 : at].lstrip()[:1]
    return (
        bool(following)
        and following == before
        and not following.isalnum()
        and following not in "#@"
    )


def _next_line(folded: str, at: int, end: int) -> Span:
    """Return the next line with something on it."""
    first = at
    while first < end and folded[first].isspace():
        first += 1
    return first, _line_end(folded, first, end)


def _end_inline(document: Document, start: int, end: int) -> int:
    """Return where a list on its heading's line ends: before an address or the label of a profile."""
    ended = ENDS_UNBROKEN.search(document.lowered, start, end)
    if ended is None:
        return end
    word = (
        document.folded.rfind(" ", start, ended.start()) + 1
        if "@" in ended.group()
        else ended.start()
    )
    return max(word, start)


def _signs(document: Document, start: int, end: int) -> Counter[str]:
    """Return how often each sign and picture stands in a line, outside links."""
    folded = document.folded
    signs = [
        match
        for match in _SIGNS.finditer(folded, start, end)
        if not document.is_in_link(match.start())
    ]
    by_sign = Counter(match.group().strip() for match in signs)
    by_sign.update(
        c
        for c in folded[start:end]
        if c >= _PICTURE and not c.isalnum() and c.isprintable() and not _SIGNS.match(c)
    )
    return by_sign


def _parted_by_commas(folded: str, start: int, end: int) -> list[Span]:
    """Return the names of a line that commas part, half of them with a note in brackets of what they do; none of another line."""
    if end - start > _LONGEST_INLINE:
        return []
    notes = len(_NOTE.findall(folded, start, end))
    if notes < _FEWEST or notes * 2 < folded.count(",", start, end):
        return []
    if _WITH_NOTE.match(folded, start, end) is None:
        return []
    return [match.span("entry") for match in _ENTRY.finditer(folded, start, end)]


def parted(document: Document, start: int, end: int) -> list[Span]:
    """Return the entries of a line: parted by the sign or picture that stands in it most often."""
    folded = document.folded
    by_sign = _signs(document, start, end)
    sign, times = max(by_sign.items(), key=lambda item: item[1], default=("", 0))
    if times < _FEWEST:
        return _parted_by_commas(folded, start, end) or [(start, end)]
    cuts = [match.start() for match in re.finditer(re.escape(sign), folded[start:end])]
    first = [start, *(start + cut + len(sign) for cut in cuts)]
    last = [*(start + cut for cut in cuts), end]
    pairs = zip(first, last, strict=True)
    return [(a, b) for a, b in pairs if any(c.isalnum() for c in folded[a:b])]
