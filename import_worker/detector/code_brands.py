"""The brand of a promo code, by the text around it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from import_worker.detector.announced_codes import Code
from import_worker.detector.benefits import has_benefit
from import_worker.detector.brand_names import read_name, spelled
from import_worker.detector.code_entries import brand_of_entry, stands_in_entry
from import_worker.detector.code_items import brand_beside_code
from import_worker.detector.document import Document, Segment
from import_worker.detector.folding import name_key
from import_worker.detector.phrases.codes import NO_BRAND
from import_worker.detector.phrases.exclusions import OWN
from import_worker.detector.phrases.name_words import AMBIGUOUS, HANDLE
from import_worker.detector.phrases.subject_names import is_lead
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.detector.said_shops import shop_of_said, shop_right_before, shop_there
from import_worker.detector.slots import vouched
from import_worker.domain.keys import slug_of

_EXCERPT: Final = 300

_REACH: Final = 240
_STRETCH: Final = 400
_NARROW: Final = 120
"""The stretch beside a code that no word for one announces."""

_ADJACENT: Final = 24

_SENTENCES: Final = 2

_STEPS: Final = ((-1, 0.85), (1, 0.82), (2, 0.7))
"""Neighbouring segments in their order of trial, by distance, with the confidence of each."""

_STEPS_WITH_LINK: Final = ((-1, 0.82),)
"""The same when the code's own segment has a link that hides its site."""

_SHORTEST_INSIDE: Final = 5

_HASHTAG: Final = re.compile(r"#(\w{5,30})")

_AT_SHOP: Final = re.compile(
    r"\b(?:at|on|for|from|off|with|by|chez|sur|bei|auf|von|für|en|no site|na|no|site|на|в|от|w|we|to|your|all|any|du|de|of|over at|join"
    r"|bij|op|di|tại|ở|hos|på|su|da|pada)"
    r"(?: (?:the|my|your|all|any|some|mon|le|la|les|first|order|orders|purchase|everything|website|site|o|a"
    r"|sklepie|sklepu|tienda|loja|negozio|boutique|winkel|shop|store))*\s+(?=[\"@A-ZА-Я0-9])"
)

_LABEL_END: Final = re.compile(r"\s*(?:[:\-(>|]|→|►|➜)")

_OFF: Final = re.compile(
    r"\boff (?:of |on |at |your |my |all |any |everything |order |first ){0,4}"
    r"([a-z][\w'.&\-]{2,}(?: [a-z][\w'.&\-]+)?) (?:with|using|w/|when|if)\b"
)
_OFTEN: Final = 2
_BEFORE_LINK: Final = re.compile(r"[\s:\-(>→►➜]{1,4}https?://")
"""What stands between the name of a shop and its link: of several shops, that one is the code's."""

_NAME_BEFORE: Final = re.compile(
    r"((?:[A-Z][\w'&.+\-]{0,24} ){1,3})(?:[Dd]iscount |DISCOUNT |[Pp]romo |PROMO |[Cc]oupon )?$"
)


def brand_of_code(
    reading: Reading, code: Code, stated: Sequence[Claim]
) -> tuple[Found, float] | None:
    """Return the brand and how sure it is; `stated` are the sponsors that the text states."""
    segment = reading.document.segments[code.segment]
    reach = _STRETCH if code.announced else _NARROW
    stretch = (max(segment.start, code.start - reach), min(segment.end, code.end + reach))
    shop = _shop_named(reading, segment, code)
    here = _nearest(
        [
            *_vouched_for(shop),
            *reading.named_brands(*stretch),
            *reading.linked_brands(*stretch),
        ],
        code,
    )
    if here is None and (named := _named_for(reading, code)):
        return named
    if beside := _beside(reading, code, here):
        return beside
    if here and not reading.is_platform(here):
        return vouched(reading, here), 0.93 if here.known else 0.9
    fitting_shop = (
        shop if shop and not shop.known and _has_evidence(reading, segment, stretch) else None
    )
    return _without_link(reading, code, stated, fitting_shop)


def _named_for(reading: Reading, code: Code) -> tuple[Found, float] | None:
    """Return the brand that a code's entry, or the words for a shop before it, name."""
    return (
        brand_of_entry(reading, code)
        or shop_of_said(reading, code)
        or shop_right_before(reading, code)
    )


def _beside(reading: Reading, code: Code, here: Found | None) -> tuple[Found, float] | None:
    """Return the brand beside a code where no brand or link of its stretch (`here`) comes first."""
    beside = brand_beside_code(reading, code)
    is_vouched_for = beside is not None and (beside.known or beside.linked)
    if beside and is_vouched_for and (here is None or _gap(here, code) > _ADJACENT):
        return beside, 0.9
    if here is not None:
        return None
    if following := _named_before_link(reading, reading.document.segments[code.segment]):
        return following, 0.9
    return (beside, 0.75) if beside else None


def _without_link(
    reading: Reading, code: Code, stated: Sequence[Claim], shop: Found | None
) -> tuple[Found, float] | None:
    """Return the brand of a code that no brand of its own segment is for."""
    segment = reading.document.segments[code.segment]
    if labelled := _labelled(reading, code, segment):
        return labelled, 0.75
    if shop:
        return shop, 0.7
    if sponsor := _thanked_before(reading, code, stated):
        return sponsor, 0.92
    if there := shop_there(reading, code):
        return there
    is_own = code.announced or reading.context.is_named_in(code.text)
    return _further(reading, code) if is_own else None


def _further(reading: Reading, code: Code) -> tuple[Found, float] | None:
    """Return the brand that a code itself carries, else that of a line beside, unless the code's own says what it is for."""
    if inside := _inside(reading, code):
        return inside, 0.75
    return None if stands_in_entry(reading, code) else _neighbour(reading, code)


def _vouched_for(shop: Found | None) -> list[Found]:
    return [shop] if shop and (shop.known or shop.linked) else []


def _thanked_before(reading: Reading, code: Code, stated: Sequence[Claim]) -> Found | None:
    """Return the sponsor that the sentences before the code's state, in the same paragraph."""
    document = reading.document
    paragraph = document.segments[code.segment].paragraph
    for claim in reversed(stated):
        index = document.segment_index(claim.start)
        near = 0 <= code.segment - index <= _SENTENCES
        if near and document.segments[index].paragraph == paragraph:
            return claim.found
    return None


def _inside(reading: Reading, code: Code) -> Found | None:
    """Return the brand that a code carries beside the channel's name, when a hashtag spells it too."""
    key = name_key(code.text)
    for own in reading.context.own_keys:
        rest = key.removeprefix(own).removesuffix(own)
        if rest == key or len(rest) < _SHORTEST_INSIDE:
            continue
        for tag in _HASHTAG.finditer(reading.document.folded):
            if name_key(tag.group(1)) == rest:
                at = tag.start(1)
                return from_name(tag.group(1), at, reading.directory, reading.context)
    return None


def _named_before_link(reading: Reading, segment: Segment) -> Found | None:
    """Return the brand of the next link, when the code's own segment names it."""
    link = reading.link_after(segment.end)
    found = reading.brand_of(link) if link else None
    if link is None or found is None:
        return None
    text = reading.document.folded[segment.start : segment.end][-_EXCERPT:]
    name = spelled(link.label, text)
    if name is None or found.known:
        return found if name else None
    return replace(found, name=name, slug=slug_of(name))


def _has_evidence(reading: Reading, segment: Segment, stretch: tuple[int, int]) -> bool:
    document = reading.document
    offered = has_benefit(document.lowered, *stretch)
    return offered or reading.link_after(segment.start) is not None


def _nearest(brands: list[Found], code: Code) -> Found | None:
    outside = [brand for brand in brands if not code.start <= brand.start < code.end]
    found = min(outside, key=lambda brand: _gap(brand, code), default=None)
    return found if found and _gap(found, code) <= _REACH else None


def _gap(brand: Found, code: Code) -> int:
    return max(code.start - brand.end, brand.start - code.end)


def _shop_named(reading: Reading, segment: Segment, code: Code) -> Found | None:
    """Return the brand named where a shop stands: "at Acme", "Acme discount code", "Acme: code"."""
    folded = reading.document.folded
    before = _NAME_BEFORE.search(folded, max(segment.start, code.start - 60), code.start)
    candidates: list[tuple[int, int]] = []
    if before:
        candidates.append((before.start(1), before.start(1) + len(before.group(1).rstrip())))
    stretch = (max(segment.start, code.start - 120), min(segment.end, code.end + 120))
    shops = [
        shop
        for match in _AT_SHOP.finditer(folded, *stretch)
        if (shop := _name_at(folded, match.end(), segment.end))
    ]
    candidates += sorted(shops, key=lambda shop: _BEFORE_LINK.match(folded, shop[1]) is None)
    if label := _label(folded, segment):
        candidates.append(label)
    if small := _in_small_letters(reading, stretch):
        candidates.append(small)
    for start, end in candidates:
        found = _named(reading, code, start, end)
        if found and not reading.is_platform(found):
            return vouched(reading, found)
    return None


def _in_small_letters(reading: Reading, stretch: tuple[int, int]) -> tuple[int, int] | None:
    """Return the name in small letters that a discount is said to be off, when it is one that creators advertise."""
    off = _OFF.search(reading.document.lowered, *stretch)
    if off is None or name_key(off.group(1)) in AMBIGUOUS:
        return None
    brand = reading.directory.named(off.group(1))
    return off.span(1) if brand and brand.creator_ads >= _OFTEN else None


def _name_at(folded: str, at: int, end: int) -> tuple[int, int] | None:
    """Return the name that begins at a place, behind a quote, or the handle there."""
    handle = HANDLE.match(folded, at, end)
    is_behind_sign = folded[at] in '"@'
    return read_name(folded, at + is_behind_sign, end) or (handle.span(1) if handle else None)


def _named(reading: Reading, code: Code, start: int, end: int) -> Found | None:
    name = reading.document.folded[start:end]
    if start < code.end and end > code.start:
        return None
    if any(word in NO_BRAND for word in name.lower().split()) or name == code.text:
        return None
    if reading.document.is_in_link(start) or is_lead(name):
        return None
    found = from_name(name, start, reading.directory, reading.context)
    return None if found and name[0].isdigit() and not found.known else found


def _word_start(folded: str, segment: Segment) -> int:
    at = segment.start
    while at < segment.end - 1 and not folded[at].isalnum():
        at += 1
    return at


def _neighbour(reading: Reading, code: Code) -> tuple[Found, float] | None:
    """Return the brand of the segment behind or before the code's, in the same paragraph."""
    document = reading.document
    own = document.segments[code.segment]
    for step, confidence in _STEPS_WITH_LINK if _hides_link(document, own) else _STEPS:
        index = code.segment + step
        if not 0 <= index < len(document.segments):
            continue
        segment = document.segments[index]
        if abs(segment.paragraph - own.paragraph) > (step == 1):
            continue
        first = segment.start if step > 0 else max(segment.start, segment.end - _STRETCH)
        last = min(segment.end, first + _STRETCH)
        if OWN.search(document.lowered, first, last):
            continue
        brands = _outside_brands(reading, first, last)
        if brands:
            return (brands[0] if step > 0 else brands[-1]), confidence
        if step == -1 and (labelled := _labelled(reading, code, segment)):
            return labelled, 0.7
    return None


def _outside_brands(reading: Reading, start: int, end: int) -> list[Found]:
    """Return the brands that a stretch links to, else those that it names, without platforms."""
    brands = reading.linked_brands(start, end) or reading.named_brands(start, end)
    return [brand for brand in brands if not reading.is_platform(brand)]


def _hides_link(document: Document, segment: Segment) -> bool:
    return any(
        link.kind in {"shortener", "hidden", "store"}
        for link in document.links_in(segment.start, segment.end)
    )


def _labelled(reading: Reading, code: Code, segment: Segment) -> Found | None:
    """Return the name that a segment with a link begins with, as its label."""
    document = reading.document
    if not document.links_in(segment.start, segment.end):
        return None
    label = _label(document.folded, segment)
    return _named(reading, code, *label) if label else None


def _label(folded: str, segment: Segment) -> tuple[int, int] | None:
    """Return the name at a segment's beginning, when a sign of a label follows it."""
    span = read_name(folded, _word_start(folded, segment), segment.end)
    return span if span and _LABEL_END.match(folded, span[1], segment.end) else None
