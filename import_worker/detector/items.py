"""The items of a description: each link with its label, its tail and the heading that it stands under."""

import re
from dataclasses import dataclass
from typing import Final

from import_worker.detector.document import Document
from import_worker.detector.headings import headings
from import_worker.detector.links import Link
from import_worker.detector.phrases.headings import Topic

_LABEL: Final = 220
_TAIL: Final = 140
_BORROWED: Final = 160
_HEADING_REACH: Final = 900
_MAX_ITEMS: Final = 200
_GAP: Final = 160
_OTHER_BLOCK: Final = re.compile(
    r"cha[iî]ne|channel|\bkanal\b|instagram|\binsta\b|facebook|twitter|tik ?tok|subscri|abonn|\bmerch|\bgear\b"
    r"|\bmusic\b|musique|musik|patreon|impressum|チャンネル|グッズ|채널|канал|инст|音楽|copains|friends|amis"
)
"""A label with such a word is no longer of the sponsors' block."""

_HEADING_LINE: Final = re.compile(
    r"^\W{0,6}[^\W\d_].{2,40}\W{0,6}:\W*$|^[A-ZА-Я][A-ZА-Я &]{3,40}\W*$"
)
_BARE: Final = re.compile(
    r"^\W*(?:(?:klick|click|clique\w*|link|hier|here|ici|aqui|aquí|download|details?|more|info\w*|mehr|website|site|web"
    r"|online|подробн\w+|ссылк\w+|сайт|тут|здесь|по|ссылке|жми\w*|ios|android|pc|app|store|shop|the|at|on|auf|sur|now"
    r"|jetzt|app ?store|google ?play|iphone|purchase|buy|order|order here|kaufen|код|https?|url|below|get|yours|it|visit"
    r"|check|out|go|to|this|via|use|my|a|la|le|en|in|for|pour|de)\W*)*$",
    re.IGNORECASE,
)
"""A label that names nothing: the words before it are read too."""


@dataclass(frozen=True, slots=True)
class Item:
    """A link with the text that goes with it; all offsets are in characters of the document.

    Attributes:
        link: The link.
        start: First character of the label; the line before is borrowed when the label names nothing.
        end: One past the tail, where the next item or line begins.
        topic: The heading that it stands under, see `phrases.headings`.
        following: How many items with the same topic stand right before it.
        order: How many links that lead outside stand before it.
    """

    link: Link
    start: int
    end: int
    topic: Topic | None
    following: int
    order: int


def read_items(document: Document) -> tuple[Item, ...]:
    """Return the items of a text, in order; odd lines between them end nothing."""
    found = headings(document.lowered)
    items: list[Item] = []
    links = document.links[:_MAX_ITEMS]
    previous = outside = 0
    for index, link in enumerate(links):
        before = items[-1] if items else None
        topic = _topic(found, link.start, before)
        if link.kind == "platform" and topic != "sponsors":
            start, end = link.start, link.end  # no brand is read from its words
        else:
            start = _label_start(document, link, previous)
            following = links[index + 1].start if index + 1 < len(links) else len(document.folded)
            end = _tail_end(document, link, following)
        topic = _continued(document, topic, found, before, (start, link.start))
        count = before.following + 1 if before and before.topic == topic else 0
        items.append(Item(link, start, end, topic, count, outside))
        outside += link.kind not in {"platform", "store"}
        previous = link.end
    return tuple(items)


def _label_start(document: Document, link: Link, previous: int) -> int:
    index = document.segment_index(link.start)
    segment = document.segments[index]
    start = max(segment.start, previous, link.start - _LABEL)
    if not _BARE.match(document.folded[start : link.start]):
        return start
    for before in reversed(document.segments[max(index - 2, 0) : index]):
        if before.paragraph < segment.paragraph - 1 or before.end <= previous:
            break
        start = max(before.start, previous, link.start - _LABEL - _BORROWED)
        if not _BARE.match(document.folded[start : before.end]):
            break
    return start


def _tail_end(document: Document, link: Link, following: int) -> int:
    segment = document.segments[document.segment_index(link.start)]
    end = min(segment.end, following, link.end + _TAIL)
    return max(end, link.end)


def _continued(
    document: Document,
    topic: Topic | None,
    found: tuple[tuple[int, int, Topic], ...],
    before: Item | None,
    label: tuple[int, int],
) -> Topic | None:
    """Return the topic of an item; a block of sponsors or of the creator's own pages that something has ended is none."""
    if topic == "social" and before is not None:
        is_ended = _leaves_paragraph(document, found, before, label)
        return None if is_ended else topic
    if topic != "sponsors":
        return topic
    heading_end = max((end for start, end, _ in found if start < label[1]), default=0)
    if _OTHER_BLOCK.search(document.lowered, max(label[0], heading_end), label[1]):
        return None
    if before is None:
        return topic
    is_ended = (
        _ends_block(document, before, label[0])
        if before.topic == topic
        else before.link.start > _heading_of(found, label[1])
    )
    return None if is_ended else topic


def _leaves_paragraph(
    document: Document,
    found: tuple[tuple[int, int, Topic], ...],
    before: Item,
    label: tuple[int, int],
) -> bool:
    """Return whether an item stands in another paragraph than the pages before it, or behind one that does."""
    if before.topic != "social":
        return before.link.start > _heading_of(found, label[1])
    paragraphs = (
        document.segments[document.segment_index(at)].paragraph
        for at in (before.link.start, label[1])
    )
    return next(paragraphs) != next(paragraphs)


def _ends_block(document: Document, before: Item, start: int) -> bool:
    """Return whether a line of its own, or much text, stands between two items."""
    between = document.folded[before.end : start]
    lines = [line.strip() for line in between.split("\n")]
    return len(between) > _GAP or any(_HEADING_LINE.search(line) for line in lines[1:-1])


def _heading_of(found: tuple[tuple[int, int, Topic], ...], at: int) -> int:
    return max((start for start, _, _ in found if start < at), default=0)


def _topic(found: tuple[tuple[int, int, Topic], ...], at: int, before: Item | None) -> Topic | None:
    """Return the topic of the last heading before `at`, when it or an item under it is near."""
    last = None
    for start, end, topic in found:
        if start >= at:
            break
        is_followed = before is not None and before.topic == topic and before.start >= start
        nearest = before.end if is_followed and before else end
        if at - nearest <= _HEADING_REACH:
            last = topic
    return last
