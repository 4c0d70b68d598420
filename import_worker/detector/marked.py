"""Claims from marks: "(Werbung)", "#ad", "[sponsor]", with the brand beside them."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

from import_worker.detector.brand_names import read_name, spelled_by_handle
from import_worker.detector.document import Document
from import_worker.detector.entry_names import name_of_entry
from import_worker.detector.literals import required_literals
from import_worker.detector.name_parts import CASELESS
from import_worker.detector.phrases import marks
from import_worker.detector.phrases.codes import PLATFORM_CODES
from import_worker.detector.phrases.cue import Cue
from import_worker.detector.phrases.exclusions import CONTACT, CREDITS, OWN, says_not_sponsored
from import_worker.detector.phrases.name_words import HANDLE_SUFFIX
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, from_name

_MAX_HITS: Final = 12
_LABEL: Final = 60
_NEAR: Final = 70
_ENTRY: Final = 0.7
_BRACKETS: Final = frozenset("([")
_HASHTAG: Final = re.compile(
    r"#(\w{2,30}?)_?(?:partner|sponsored|sponsor|ambassador|ad)s?\b(?<!#ad)|#sponsored(?:by_?| by #)(\w{2,30})",
    re.IGNORECASE,
)
_TIME: Final = re.compile(r"(?:\d?\d:)?\d?\d:\d\d[\s\-|]{1,4}")
"""What a chapter begins with."""
_WRITTEN_APART: Final = re.compile(
    r"#\w*[a-z\d](?:Partner|Ambassador|Sponsored|_(?:partner|ambassador|sponsored|sponsor|ad))s?$"
)
"""A tag that parts the name from the word: "#AcmePartner"."""
_HANDLE: Final = re.compile(r"(?<!\w)@([A-Za-z][\w.]{2,30}(?: [A-Z]\w+)?)")
_AROUND: Final = 160
_WHOLE_HANDLE: Final = re.compile(r"(?<![\w.])@([A-Za-z][\w.]{2,30})")
_FOOTNOTE: Final = re.compile(
    r"\b(?:provision|affiliate|links?\b.{0,40}\b(?:sind|are|werden)|gekennzeichnet|commission|markierte)"
)
_FILLER: Final = re.compile(r"[\s*:()>→►➜-]|werbung", re.IGNORECASE)
"""Text that may stand between a name and the link that hides its site."""


_EXCLUSIONS: Final = (OWN, CONTACT, CREDITS, _FOOTNOTE)


@cache
def _cues() -> tuple[tuple[Cue, frozenset[str]], ...]:
    """Return the marks, each with the literals of which a match holds one."""
    return tuple((cue, required_literals(cue.pattern)) for cue in marks.LINE_MARKS.cues())


def marked_claims(reading: Reading, stated: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the brands that stand beside a mark of advertising, where none of the `stated` sponsors does."""
    yield from _hashtags(reading)
    document = reading.document
    marked = [
        (cue, match)
        for cue, literals in _cues()
        if cue.stem in document.lowered and any(literal in document.lowered for literal in literals)
        for match in islice(cue.pattern.finditer(document.lowered), _MAX_HITS)
    ]
    if not marked or says_not_sponsored(document.lowered):
        return
    document = reading.document
    named = {
        document.segment_index(claim.found.start) for claim in stated if not claim.found.linked
    }
    for cue, match in marked:
        if document.segment_index(match.start()) in named:
            continue
        yield from _claims(reading, cue, match.start(), match.end())


def _claims(reading: Reading, cue: Cue, start: int, end: int) -> Iterator[Claim]:
    document = reading.document
    index = document.segment_index(start)
    segment = document.segments[index]
    text = document.lowered[max(segment.start, start - _NEAR) : min(segment.end, end + _NEAR)]
    if any(pattern.search(text) for pattern in _EXCLUSIONS):
        return
    for first, last in _spans(document, index, start, end):
        found = _beside(reading, first, last)
        if found and not reading.is_platform(found):
            link = reading.link_after(first)
            yield Claim(
                found=found,
                kind=cue.kind,
                code=None,
                link=link.url if link and not reading.context.owns_link(link) else None,
                start=min(first, start),
                end=min(max(last, end), min(first, start) + 300),
                weight=0.85 if found.known else 0.72,
                reason=cue.reason,
            )
            return
    yield from _in_entry(reading, cue, start, end)


def _in_entry(reading: Reading, cue: Cue, start: int, end: int) -> Iterator[Claim]:
    """Yield the name of the entry of a list that a mark in brackets ends: "3. Acme Shoes (ad)"."""
    document = reading.document
    if document.source == "title" or document.folded[start] not in _BRACKETS:
        return
    line = document.folded.rfind("\n", 0, start) + 1
    if time := _TIME.match(document.folded, line, start):
        line = time.end()
    named = name_of_entry(reading, line, start) if start - line <= _LABEL else None
    if named is None:
        return
    name = _first_if_unspaced(document.folded[named.start : named.end])
    found = from_name(name, named.start, reading.directory, reading.context)
    if found and not reading.is_platform(found):
        yield Claim(found, cue.kind, None, None, line, end, _ENTRY, cue.reason)


def _first_if_unspaced(name: str) -> str:
    """Return a name, in scripts without capitals its first word: what follows is the product."""
    return name.split(maxsplit=1)[0] if CASELESS.match(name) else name


def _spans(document: Document, index: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches that a mark may speak of, the likeliest first."""
    segment = document.segments[index]
    before = document.segments[max(index - 1, 0)]
    is_bracket = document.folded[start] == "(" and before.paragraph == segment.paragraph
    closest = document.links_in(before.start, start) if is_bracket else None
    if closest:
        yield max(before.start, closest[-1].start - _LABEL), start
    yield segment.start, segment.end
    is_behind = start - segment.start > segment.end - end or document.folded[start] == "#"
    if is_behind and not closest:
        yield before.start, segment.start
    for following in document.segments[index + 1 : index + 2]:
        text = document.lowered[following.start : following.end]
        if following.paragraph == segment.paragraph and not OWN.search(text):
            yield following.start, following.end


def _beside(reading: Reading, start: int, end: int) -> Found | None:
    document = reading.document
    named = reading.named_brands(start, end, tagged=True)
    if named:
        return named[0]
    linked = reading.linked_brands(start, end)
    if linked:
        return linked[0]
    for handle in _HANDLE.finditer(document.folded, start, end):
        found = from_name(handle.group(1), handle.start(1), reading.directory, reading.context)
        if found and found.known:
            return found
    return _before_hidden_link(reading, start, end) or _of_handle(reading, start, end)


def _of_handle(reading: Reading, start: int, end: int) -> Found | None:
    """Return the brand of the only handle of a stretch, under the name beside it that the handle spells."""
    folded = reading.document.folded
    handles = list(_WHOLE_HANDLE.finditer(folded, start, end))
    if len(handles) != 1:
        return None
    handle = handles[0].group(1).rstrip("._")
    bare = HANDLE_SUFFIX.sub("", handle).strip("._") or handle
    name = spelled_by_handle(bare, folded[max(start - _AROUND, 0) : end]) or bare
    return from_name(name, handles[0].start(1), reading.directory, reading.context)


def _before_hidden_link(reading: Reading, start: int, end: int) -> Found | None:
    """Return the name right before the first link that hides its site."""
    document = reading.document
    hidden = [
        link for link in document.links_in(start, end) if link.kind in {"shortener", "hidden"}
    ]
    if not hidden:
        return None
    at = start
    while at < end - 1 and not document.folded[at].isalnum():
        at += 1
    span = read_name(document.folded, at, hidden[0].start)
    if span is None or _FILLER.sub("", document.folded[span[1] : hidden[0].start]):
        return None
    return from_name(
        document.folded[span[0] : span[1]], span[0], reading.directory, reading.context
    )


def _names_partner(document: Document, tag: re.Match[str]) -> bool:
    """Return whether a tag names a sponsor by itself: it says so, or parts name and word in a text marked as advertising."""
    if tag.group(2):
        return True
    if PLATFORM_CODES.search(document.lowered, tag.start(), tag.end()):
        return False  # a platform calls its creators so
    is_marked = marks.ANY_MARK.search(document.lowered) is not None
    return is_marked and _WRITTEN_APART.match(tag.group()) is not None


def _hashtags(reading: Reading) -> Iterator[Claim]:
    document = reading.document
    if "#" not in document.folded:
        return
    for match in islice(_HASHTAG.finditer(document.folded), _MAX_HITS):
        name = match.group(1) or match.group(2)
        found = from_name(
            name,
            match.start(1) if match.group(1) else match.start(2),
            reading.directory,
            reading.context,
        )
        if found and (found.known or _names_partner(document, match)):
            yield Claim(
                found=found,
                kind="paid_sponsorship",
                code=None,
                link=None,
                start=match.start(),
                end=match.end(),
                weight=0.85 if found.known else _ENTRY,
                reason="hashtag of a partner",
            )
