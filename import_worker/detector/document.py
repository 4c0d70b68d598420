"""A text made ready for the rules: folded, with its links, segments and named brands."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from import_worker.detector.directory import Directory, NameMatch
from import_worker.detector.folding import fold, lower
from import_worker.detector.glued_lines import glued_lines, parted, span_before
from import_worker.detector.hidden_characters import original_span, without_hidden
from import_worker.detector.links import DRAWN_LINE, Link, find_links
from import_worker.detector.phrases.name_words import ABBREVIATED
from import_worker.domain.records import ExcerptSource

MAX_LENGTH: Final = 10_000
"""Characters that are read; YouTube allows half of it."""

_BREAK: Final = re.compile(
    r"[\n\u2028]\s*"
    r"|[.!?](?:(?<=[\w)%\"'].)\s+(?=[^a-z\s])|(?<=[a-z)%].)(?=[A-Z\"\u2190-\u2bff\U0001f000-\U0001faff])|(?<=[!?])\s+(?=\S))"
    r"|。(?!\n)"
)
"""A line's end, or a sentence's with its sign. It begins with a plain character, to which a search skips."""

_LONGEST_ABBREVIATION: Final = 8

_MAX_SEGMENTS: Final = 1_500


class Segment(NamedTuple):
    """A sentence or a line, from `start` up to `end`, with the numbers of its line and paragraph."""

    start: int
    end: int
    line: int
    paragraph: int


_start_of = attrgetter("start")


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what was found in it; all offsets are in characters of `text`.

    `text` lacks the hidden characters inside words that `original` has; `dropped` says before which offsets they stood. Where lines
    were glued together it has separators more, one before each character that stood at an offset of `glued`.
    """

    source: ExcerptSource
    original: str
    text: str
    folded: str
    lowered: str
    links: tuple[Link, ...]
    segments: tuple[Segment, ...]
    names: tuple[NameMatch, ...]
    starts: tuple[int, ...]
    dropped: tuple[int, ...]
    glued: tuple[int, ...] = ()

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end in the original text of a stretch that is not empty."""
        return original_span(self.dropped, *span_before(self.glued, start, end))

    def segment_index(self, at: int) -> int:
        """Return the number of the segment that holds the character `at`."""
        return max(bisect_right(self.starts, at) - 1, 0)

    def links_in(self, start: int, end: int) -> tuple[Link, ...]:
        """Return the links that begin in a stretch of the text."""
        first = bisect_left(self.links, start, key=_start_of)
        return self.links[first : bisect_left(self.links, end, first, key=_start_of)]

    def is_in_link(self, at: int) -> bool:
        """Return whether the character `at` is one of a link."""
        before = bisect_right(self.links, at, key=_start_of)
        return before > 0 and at < self.links[before - 1].end

    def names_in(self, start: int, end: int) -> tuple[NameMatch, ...]:
        """Return the brands of the directory that are named in a stretch, outside of links."""
        return tuple(name for name in self.names if start <= name.start and name.end <= end)

    def line_of(self, index: int) -> tuple[int, int]:
        """Start and end of the line that the segment of that number belongs to."""
        number = self.segments[index].line
        first = last = index
        while first and self.segments[first - 1].line == number:
            first -= 1
        while last + 1 < len(self.segments) and self.segments[last + 1].line == number:
            last += 1
        return self.segments[first].start, self.segments[last].end


def read_document(original: str, source: ExcerptSource, directory: Directory) -> Document:
    """Return the first `MAX_LENGTH` characters of the text, made ready."""
    text, dropped = without_hidden(original[:MAX_LENGTH])
    folded = fold(text)
    if glued := glued_lines(folded, directory):
        text, folded = parted(text, glued), parted(folded, glued)
    lowered = lower(folded)
    links = find_links(folded)
    segments = _segments(folded, links)
    return Document(
        source=source,
        original=original,
        text=text,
        folded=folded,
        lowered=lowered,
        links=links,
        segments=segments,
        names=_names_outside(links, directory.mentions(folded, lowered)),
        starts=tuple(segment.start for segment in segments),
        dropped=dropped,
        glued=tuple(glued),
    )


def _names_outside(links: tuple[Link, ...], names: Iterable[NameMatch]) -> tuple[NameMatch, ...]:
    starts = [link.start for link in links]
    unlinked: list[NameMatch] = []
    for name in names:
        index = bisect_right(starts, name.start) - 1
        if index < 0 or links[index].end <= name.start:
            unlinked.append(name)
    return tuple(unlinked)


def _segments(folded: str, links: tuple[Link, ...]) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    line = paragraph = start = 0
    for cut, end in _cuts(folded, links):
        if folded[start:cut].strip():
            segments.append(Segment(start, cut, line, paragraph))
        newlines = folded.count("\n", cut, end)
        is_drawn = DRAWN_LINE.match(folded, cut) is not None
        line += 1 if newlines or is_drawn else 0
        # Blank lines may hold blanks, so the gap between two lines is counted as a whole.
        paragraph += 1 if newlines > 1 or is_drawn else 0
        start = end
        if len(segments) >= _MAX_SEGMENTS:
            break
    return tuple(segments) or (Segment(0, len(folded), 0, 0),)


def _cuts(folded: str, links: tuple[Link, ...]) -> list[tuple[int, int]]:
    starts = [link.start for link in links]
    cuts = {(link.end, link.end) for link in links if _is_glued(folded, link.end)}
    breaks = (
        (_behind_sign(match), match.end())
        for match in _BREAK.finditer(folded)
        if not _is_abbreviated(folded, match.start())
    )
    drawn = (match.span() for match in DRAWN_LINE.finditer(folded))
    for cut, end in chain(breaks, drawn):
        index = bisect_right(starts, cut) - 1
        if index < 0 or links[index].end <= cut:
            cuts.add((cut, end))
    cuts.add((len(folded), len(folded)))
    return sorted(cuts)


def _is_abbreviated(folded: str, at: int) -> bool:
    """Return whether a full stop is that of a word like "St." or of initials."""
    return folded[at] == "." and any(
        match.end() == at + 1
        for match in ABBREVIATED.finditer(folded, max(at - _LONGEST_ABBREVIATION, 0), at + 3)
    )


def _behind_sign(match: re.Match[str]) -> int:
    """Return where a break begins: the sign that ends a sentence is still of it."""
    return match.start() + (match.group()[0] not in "\n\u2028")


def _is_glued(folded: str, end: int) -> bool:
    """Return whether what follows a link begins something new: a glued word, or a bullet behind blanks."""
    after = folded[end : end + 3]
    if not after or after[0] == "\n":
        return False
    if after[0].isalpha() or ord(after[0]) > 0x2100:
        return True
    first = after.lstrip(" ")[:1]
    return after[0] == " " and bool(first) and ord(first) > 0x2100 and not first.isalnum()
