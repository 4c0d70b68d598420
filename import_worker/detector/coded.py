"""Claims from promo codes: the code, and the brand that it is for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from ahocorasick_rs import AhoCorasick

from import_worker.detector.brand_names import read_name, spelled
from import_worker.detector.document import Document, Segment
from import_worker.detector.links import Link
from import_worker.detector.phrases import codes
from import_worker.detector.phrases.exclusions import CHARITY, CONTACT, OWN
from import_worker.detector.phrases.offers import BENEFIT
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.detector.slots import vouched
from import_worker.domain.keys import slug_of

TOP: Final = 350
"""Characters from the start in which an offer is the video's own, no boilerplate."""

_BEFORE: Final = 24
_BEHIND: Final = 64
_MOST_HITS: Final = 40
_USED_WITHIN: Final = 30
_EXCERPT: Final = 300
_PLACE: Final = re.compile(
    r"\b(?:at|on|for|from|off|with|by|chez|sur|bei|auf|von|für|en|no site|na|no|site|на|в|от|to|your|all|any|du|de|of|over at|join)"
    r"(?: (?:the|my|your|all|any|some|mon|le|la|les|first|order|orders|purchase|everything|website|site|o|a))*\s+(?=[\"@A-ZА-Я0-9])"
)
_LABEL_END: Final = re.compile(r"\s*(?:[:\-(>|]|→|►|➜)")
_NAME_BEFORE: Final = re.compile(
    r"((?:[A-Z][\w'&.+\-]{0,24} ){1,3})(?:[Dd]iscount |DISCOUNT |[Pp]romo |PROMO |[Cc]oupon )?$"
)
_NO_BRAND: Final = frozenset(
    "use my your promo discount coupon code codes off the get with enter checkout order purchase save and link here"
    " click up everything anything instagram twitter sale % free first now today website black friday".split()
)


@dataclass(frozen=True, slots=True)
class _Code:
    text: str
    start: int
    end: int
    segment: int


def has_code_stem(lowered: str) -> bool:
    """Whether a promo code may be announced in a text."""
    return bool(_stems().find_matches_as_indexes(lowered))


def coded_claims(reading: Reading) -> Iterator[Claim]:
    """The brands that promo codes are announced for."""
    seen: set[int] = set()
    for code in _announced(reading.document):
        if code.start in seen or _is_void(reading, code):
            continue
        seen.add(code.start)
        named = _brand(reading, code)
        if named:
            yield _claim(reading, code, *named)


@cache
def _stems() -> AhoCorasick:
    return AhoCorasick(codes.STEMS)


def _announced(document: Document) -> Iterator[_Code]:
    for _, start, _ in _stems().find_matches_as_indexes(document.lowered)[:_MOST_HITS]:
        index = document.segment_index(start)
        segment = document.segments[index]
        match = codes.ANNOUNCEMENT.search(
            document.lowered, max(segment.start, start - _BEFORE), min(segment.end, start + _BEHIND)
        )
        if match is None or _in_link(document, start):
            continue
        first, last = match.span(match.lastindex or 0)
        if _is_code(document, match.start(), first, last):
            yield _Code(document.folded[first:last].rstrip("-&"), match.start(), last, index)


def _in_link(document: Document, at: int) -> bool:
    return any(link.start <= at < link.end for link in document.links)


def _is_code(document: Document, announced: int, first: int, last: int) -> bool:
    text = document.folded[first:last]
    if text.lower() in codes.NO_CODES or (text.isdigit() and len(text) < 4):
        return False
    if _in_link(document, first) or document.folded[last : last + 3] == "://":
        return False
    telling = sum(c.isupper() or c.isdigit() for c in text) > 1
    quoted = document.folded[first - 1] in "\"'(:[«>"
    used = codes.USED.search(document.lowered, max(0, announced - _USED_WITHIN), first) is not None
    return telling or quoted or used


def _is_void(reading: Reading, code: _Code) -> bool:
    document = reading.document
    segment = document.segments[code.segment]
    text = document.lowered[max(segment.start, code.start - 160) : min(segment.end, code.end + 160)]
    near = document.lowered[max(segment.start, code.start - _BEFORE) : code.end]
    if codes.NOT_A_PROMO.search(near) or codes.PLATFORM_CODES.search(text):
        return True
    if CHARITY.search(text) or CONTACT.search(near):
        return True
    return OWN.search(text) is not None and not reading.named_brands(segment.start, segment.end)


def _brand(reading: Reading, code: _Code) -> tuple[Found, float] | None:
    segment = reading.document.segments[code.segment]
    here = _nearest(reading.named_brands(segment.start, segment.end), code)
    if here:
        return vouched(reading, here), 0.93
    linked = _nearest(reading.linked_brands(segment.start, segment.end), code)
    following = None if linked else _told_behind(reading, segment)
    if following:
        return following, 0.9
    place = _placed(reading, segment, code)
    if place and place.known:
        return place, 0.92
    if linked:
        return linked, 0.9
    if place and _has_evidence(reading, segment):
        return place, 0.8 if place.linked else 0.7
    return _neighbour(reading, code)


def _told_behind(reading: Reading, segment: Segment) -> Found | None:
    """The brand of the next link, when the code's own segment names it."""
    link = reading.link_after(segment.end)
    found = reading.brand_of(link) if link else None
    if link is None or found is None:
        return None
    text = reading.document.folded[segment.start : segment.end][-_EXCERPT:]
    name = spelled(link.label, text)
    if name is None or found.known:
        return found if name else None
    return replace(found, name=name, slug=slug_of(name))


def _has_evidence(reading: Reading, segment: Segment) -> bool:
    document = reading.document
    offered = BENEFIT.search(document.lowered, segment.start, segment.end) is not None
    return offered or reading.link_after(segment.start) is not None


def _nearest(brands: list[Found], code: _Code) -> Found | None:
    outside = [brand for brand in brands if not code.start <= brand.start < code.end]
    return min(
        outside,
        key=lambda brand: max(code.start - brand.end, brand.start - code.end),
        default=None,
    )


def _placed(reading: Reading, segment: Segment, code: _Code) -> Found | None:
    """The brand named where a shop stands: "at Acme", "Acme discount code", "Acme: code"."""
    folded = reading.document.folded
    before = _NAME_BEFORE.search(folded, max(segment.start, code.start - 60), code.start)
    candidates: list[tuple[int, int]] = []
    if before:
        candidates.append((before.start(1), before.start(1) + len(before.group(1).rstrip())))
    stretch = (max(segment.start, code.start - 120), min(segment.end, code.end + 120))
    for place in _PLACE.finditer(folded, *stretch):
        at = place.end() + (folded[place.end()] in '"@')
        if span := read_name(folded, at, segment.end):
            candidates.append(span)
    label = read_name(folded, _word_start(folded, segment), segment.end)
    if label and _LABEL_END.match(folded, label[1], segment.end):
        candidates.append(label)
    for start, end in candidates:
        found = _named(reading, code, start, end)
        if found:
            return vouched(reading, found)
    return None


def _named(reading: Reading, code: _Code, start: int, end: int) -> Found | None:
    name = reading.document.folded[start:end]
    if start < code.end and end > code.start:
        return None
    if any(word in _NO_BRAND for word in name.lower().split()) or name == code.text:
        return None
    if any(link.start <= start < link.end for link in reading.document.links):
        return None
    found = from_name(name, start, reading.directory, reading.context)
    return None if found and name[0].isdigit() and not found.known else found


def _word_start(folded: str, segment: Segment) -> int:
    at = segment.start
    while at < segment.end - 1 and not folded[at].isalnum():
        at += 1
    return at


def _neighbour(reading: Reading, code: _Code) -> tuple[Found, float] | None:
    """The brand of the segment behind or before the code's, in the same paragraph."""
    document = reading.document
    own = document.segments[code.segment]
    for step, confidence in ((1, 0.85), (-1, 0.82), (2, 0.7)):
        index = code.segment + step
        if not 0 <= index < len(document.segments):
            continue
        segment = document.segments[index]
        if abs(segment.paragraph - own.paragraph) > (step == 1):
            continue
        if OWN.search(document.lowered, segment.start, segment.end):
            continue
        linked = reading.linked_brands(segment.start, segment.end)
        named = reading.named_brands(segment.start, segment.end)
        if linked or named:
            brands = linked or named
            return (brands[0] if step > 0 else brands[-1]), confidence
        if step == -1 and document.links_in(segment.start, segment.end):
            label = read_name(document.folded, _word_start(document.folded, segment), segment.end)
            if label and _LABEL_END.match(document.folded, label[1], segment.end):
                found = _named(reading, code, *label)
                if found:
                    return found, 0.7
    return None


def _claim(reading: Reading, code: _Code, found: Found, confidence: float) -> Claim:
    document = reading.document
    segment = document.segments[code.segment]
    offered = BENEFIT.search(document.lowered, segment.start, segment.end) is not None
    link = _link(reading, segment, found)
    share = reading.context.boilerplate_domains.get(found.domain or "", 0.0)
    at_top = code.start < TOP and not share and offered
    return Claim(
        found=found,
        kind="paid_sponsorship" if at_top else "promo_code",
        code=code.text,
        link=link.url if link else None,
        start=segment.start if code.end - segment.start < 200 else code.start,
        end=min(segment.end, code.end + 120),
        confidence=confidence if offered or found.known else confidence - 0.1,
        reason="promo code with a benefit" if offered else "promo code",
    )


def _link(reading: Reading, segment: Segment, found: Found) -> Link | None:
    document = reading.document
    inside = document.links_in(segment.start, segment.end)
    fitting = [
        link for link in inside if (brand := reading.brand_of(link)) and brand.slug == found.slug
    ]
    link = next(iter(fitting or inside), None) or reading.link_after(segment.end)
    return None if link and reading.context.owns_link(link) else link
