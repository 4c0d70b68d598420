"""Words that viewers say or write to a shop for a discount: those in quotes that name the channel."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from import_worker.detector.announced_codes import Code
from import_worker.detector.benefits import has_benefit
from import_worker.detector.context import ChannelContext
from import_worker.detector.document import Document, Segment
from import_worker.detector.folding import name_key
from import_worker.detector.name_parts import CASELESS, name_parts
from import_worker.detector.phrases import codes
from import_worker.detector.phrases.said_words import (
    NOT_TO_SHOP,
    SAID_BEFORE,
    SAID_BEHIND,
    SAID_UNQUOTED,
)

_QUOTED: Final = re.compile(r"\"([^\"\n]{2,40})\"")
_MAX_QUOTED: Final = 60
_VERB: Final = 40
_AROUND: Final = 160
_SHORTEST_PART: Final = 4
_LONGEST_CODE: Final = 20
_RUN: Final = 2


def said_words(document: Document, context: ChannelContext) -> Iterator[Code]:
    """Yield the words in quotes that name the channel, with a verb of saying beside and a discount for it."""
    if '"' in document.folded:
        yield from _in_quotes(document, context)
    if " слов" in document.lowered:
        for match in islice(SAID_UNQUOTED.finditer(document.lowered), _MAX_QUOTED):
            word = document.folded[slice(*match.span("word"))]
            if names_channel(word, context):
                yield from _said(document, match.span(), word)


def _in_quotes(document: Document, context: ChannelContext) -> Iterator[Code]:
    for match in islice(_QUOTED.finditer(document.folded), _MAX_QUOTED):
        word = match.group(1).strip()
        if not names_channel(word, context):
            continue
        first = match.start() + 1
        before = SAID_BEFORE.search(document.lowered, max(first - _VERB, 0), first)
        if before:
            yield from _said(document, (before.start(), match.end()), word)
        elif SAID_BEHIND.match(document.lowered, match.end() - 1):
            yield from _said(document, match.span(), word)


def _said(document: Document, span: tuple[int, int], word: str) -> Iterator[Code]:
    index = document.segment_index(span[0])
    segment = document.segments[index]
    near = document.lowered[max(segment.start, span[0] - _VERB) : span[1] + _VERB]
    if is_rewarded(document, segment, *span) and not NOT_TO_SHOP.search(near):
        is_code = len(word) <= _LONGEST_CODE and not any(map(str.isspace, word))
        text = word if is_code else ""
        yield Code(text, *span, index, announced=False, said=True)


def is_rewarded(document: Document, segment: Segment, start: int, end: int) -> bool:
    """Return whether a discount is promised beside words to be said."""
    near = (max(segment.start, start - _AROUND), min(segment.end, end + _AROUND))
    return (
        has_benefit(document.lowered, *near)
        or codes.CHEAPER.search(document.lowered[slice(*near)]) is not None
    )


def names_channel(word: str, context: ChannelContext) -> bool:
    """Return whether a word or phrase holds the channel's name or a telling part of it."""
    if context.is_named_in(word):
        return True
    key = name_key(word)
    if any(part in key for part in name_parts(context.name) if len(part) >= _SHORTEST_PART):
        return True
    own = name_key(context.name)
    runs = (key[at : at + _RUN] for at in range(len(key) - 1))
    return any(run in own for run in runs if all(map(CASELESS.match, run)))
