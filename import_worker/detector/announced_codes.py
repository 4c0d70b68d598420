"""Promo codes that a text announces, without their brands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from ahocorasick_rs import AhoCorasick

from import_worker.detector.document import Document, Segment
from import_worker.detector.links import lost_line_breaks
from import_worker.detector.phrases import codes

_BEFORE: Final = 24

_BEHIND: Final = 64

_AROUND: Final = 160

_MAX_HITS: Final = 400

_USED_WITHIN: Final = 30

_SHORTEST: Final = 3

_SHORTEST_TEXT: Final = 2

_LAST_LATIN: Final = "\u024f"

_GLUED: Final = re.compile(r"([A-Z0-9]{4,}|[a-z0-9]{4,})([A-Z][a-z]+)")
"""A code with the first word of the next line, where line breaks were lost."""

_GLUED_WORD: Final = re.compile(
    r"([A-Z0-9]{2,}\d)(?:to|at|for|and|on|in|off|get|or|with|the|your|my|um|für|bei|pour|sur|para|em|en|per|на|для)"
)
"""A code that ends in a digit with a small word that should stand apart from it."""

_SCHEME_AT_END: Final = re.compile(r"https?$")

_FIRST_WORDS: Final = frozenset({"And", "Check", "Follow", "For", "Get", "My", "The", "Use"})
"""Words that begin the next line even where few line breaks were lost."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code of `text`, announced from `start` up to `end` in the segment of that number."""

    text: str
    start: int
    end: int
    segment: int
    announced: bool = True
    """Whether a word for "code" stands beside it."""
    said: bool = False
    """Whether it is to be said or written to the shop."""


@lru_cache(maxsize=8)
def has_code_stem(lowered: str) -> bool:
    """Return whether a promo code may be announced in a text."""
    return bool(_stems().find_matches_as_indexes(lowered))


def announced_codes(document: Document) -> Iterator[Code]:
    """Return the codes that the text announces, in order."""
    for _, start, _ in _stems().find_matches_as_indexes(document.lowered)[:_MAX_HITS]:
        index = document.segment_index(start)
        segment = document.segments[index]
        match = codes.ANNOUNCEMENT.search(
            document.lowered, max(segment.start, start - _BEFORE), min(segment.end, start + _BEHIND)
        )
        if match is None or document.is_in_link(start):
            continue
        first, last = match.span(match.lastindex or 0)
        if document.folded[last : last + 1].isalnum():  # longer than any code
            continue
        if document.lowered.startswith("://", last):
            last = _before_scheme(document.lowered, first, last)
        if _is_code(document, match.start(), first, last) and not _is_other_code(
            document, segment, match.start(), last
        ):
            text = _without_next_word(document, document.folded[first:last].rstrip("-&"))
            if text:
                yield Code(text, match.start(), first + len(text), index)
                yield from _joined(document, segment, first + len(text), index)


def _joined(document: Document, segment: Segment, end: int, index: int) -> Iterator[Code]:
    """Yield the codes that follow one by an "and", each with its own shop: "SAM1 for Acme and SAM2 for Brightline"."""
    while joined := codes.JOINED.match(document.folded, end, segment.end):
        first, end = joined.span(1)
        yield Code(joined.group(1), first, end, index)


def _before_scheme(lowered: str, first: int, last: int) -> int:
    """Return where a code ends that the scheme of a link follows without a blank."""
    scheme = _SCHEME_AT_END.search(lowered[first:last])
    return first + scheme.start() if scheme else last


@cache
def _stems() -> AhoCorasick:
    return AhoCorasick(codes.STEMS)


def _without_next_word(document: Document, text: str) -> str:
    """Return the code without what is glued to it; empty if too little is left.

    A code is of one alphabet: behind Latin letters another one begins the next word.
    """
    glued = _GLUED.fullmatch(text)
    if word := _GLUED_WORD.fullmatch(text):
        return word.group(1)
    if glued and (glued.group(2) in _FIRST_WORDS or lost_line_breaks(document.folded)):
        return glued.group(1)
    foreign = (at for at, letter in enumerate(text) if letter.isalpha() and letter > _LAST_LATIN)
    end = next(foreign, len(text))
    if end == len(text) or not any(letter.isalpha() for letter in text[:end]):
        return text
    return text[:end] if end >= _SHORTEST else ""


def _is_code(document: Document, announced: int, first: int, last: int) -> bool:
    text = document.folded[first:last]
    if text.lower() in codes.NO_CODES or (text.isdigit() and len(text) < 4):
        return False
    if document.is_in_link(first) or last - first < _SHORTEST_TEXT:
        return False
    is_distinct = sum(c.isupper() or c.isdigit() for c in text) > 1
    quoted = document.folded[first - 1] in "\"'([«>" or _is_labelled(document, announced, first)
    # A word that runs on from a link begins where the link ends: a slice has no letter before it.
    segment = document.segments[document.segment_index(announced)]
    leading = document.lowered[max(segment.start, announced - _USED_WITHIN) : first]
    used = codes.USED.search(leading) is not None
    return is_distinct or quoted or used


def _is_other_code(document: Document, segment: Segment, first: int, last: int) -> bool:
    """Return whether a code is one of another sort, such as a postal one, or one that a platform gives its creators."""
    around = slice(max(segment.start, first - _AROUND), min(segment.end, last + _AROUND))
    near = slice(max(segment.start, first - _BEFORE), last)
    lowered = document.lowered
    return bool(
        codes.NOT_A_PROMO.search(lowered[near]) or codes.PLATFORM_CODES.search(lowered[around])
    )


def _is_labelled(document: Document, announced: int, first: int) -> bool:
    label = document.lowered[announced:first].rstrip()
    return label.endswith(":") and codes.PROMO_WORD.search(label) is not None
