"""Claims from promo codes: the code, and the brand that it is for."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from import_worker.detector.announced_codes import Code
from import_worker.detector.benefits import has_benefit
from import_worker.detector.code_brands import brand_of_code
from import_worker.detector.document import Document, Segment
from import_worker.detector.folding import name_key
from import_worker.detector.hosts import SHOP_PLATFORMS
from import_worker.detector.links import Link
from import_worker.detector.phrases import codes
from import_worker.detector.phrases.exclusions import CHARITY, CONTACT, OWN, OWN_GOODS
from import_worker.detector.phrases.user_pages import CALL_TO_OWN
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.detector.shared_codes import shared_code_claims
from import_worker.detector.slots import brands_after

TOP: Final = 350
"""Characters from the start in which an offer is the video's own, no boilerplate."""

_BEFORE: Final = 24
_NEAR: Final = 250
_OWN_NEAR: Final = 80
_LINE: Final = 120
"""Characters on either side of a code in which its line says whose it is."""

_FURTHER: Final = 0.05

_ONE_KIND: Final = re.compile(
    r"(?: [a-z]+)?? (?P<kind>[a-z]{3,})(?P<rest>(?:(?:, {0,2}(?:or |and )?| or | and )[^,\n:]{2,30}? (?P=kind)\b)+)"
)
_NAME_OF_KIND: Final = re.compile(
    r"(?:, {0,2}| )([A-Z][\w'&.\-]*(?: [A-Z][\w'&.\-]*){0,2})(?= [a-z])"
)


def coded_claims(reading: Reading, stated: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the brands that promo codes are announced for; `stated` are the sponsors known so far."""
    seen: set[int] = set()
    for code in reading.codes:
        if code.start in seen or _is_void(reading, code):
            continue
        seen.add(code.start)
        named = brand_of_code(reading, code, stated)
        if named and name_key(named[0].name) != name_key(code.text):
            yield _claim(reading, code, *named)
            yield from _joined(reading, code, *named)
        if code.announced:
            yield from shared_code_claims(reading, code)


def _joined(reading: Reading, code: Code, found: Found, weight: float) -> Iterator[Claim]:
    """Yield the further brands of a code that names several: "at Acme, Brightline and Corley"."""
    document = reading.document
    if document.is_in_link(found.start):
        return
    yield from _of_one_kind(reading, code, found, weight)
    end = document.segments[document.segment_index(found.start)].end
    written = {name_key(known.text) for known in reading.codes}
    for other in brands_after(reading, found.start, end)[1:]:
        if written.intersection(
            map(name_key, other.name.split())
        ):  # the code behind a name and a dash
            return
        if other.start < found.end:
            continue
        yield _claim(reading, code, other, weight - _FURTHER)


def _of_one_kind(reading: Reading, code: Code, found: Found, weight: float) -> Iterator[Claim]:
    """Yield the brands of a list that has one word behind each: "Acme box, Brightline box, or Corley box"."""
    folded = reading.document.folded
    listed = _ONE_KIND.match(folded, found.end)
    if listed is None:
        return
    for match in _NAME_OF_KIND.finditer(folded, listed.start("rest"), listed.end("rest")):
        name = match.group(1)
        if any(word in codes.NO_BRAND for word in name.lower().split()):
            continue
        other = from_name(name, match.start(1), reading.directory, reading.context)
        if other:
            yield _claim(reading, code, other, weight - _FURTHER)


def _is_void(reading: Reading, code: Code) -> bool:
    document = reading.document
    segment = document.segments[code.segment]
    text = document.lowered[max(segment.start, code.start - 160) : min(segment.end, code.end + 160)]
    near = document.lowered[max(segment.start, code.start - _BEFORE) : code.end]
    if CHARITY.search(text) or CONTACT.search(near) or _leads_home(reading, segment, code):
        return True
    if _is_public(document, code):
        return True
    is_own = OWN.search(text) or OWN_GOODS.search(text)
    return is_own is not None and not reading.named_brands(segment.start, segment.end)


def _is_public(document: Document, code: Code) -> bool:
    """Return whether the line of a code says that it is everybody's, or calls to what the creator offers."""
    lowered = document.lowered
    first = max(lowered.rfind("\n", 0, code.start) + 1, code.start - _LINE)
    last = lowered.find("\n", code.end)
    end = min(last if last >= 0 else len(lowered), code.end + _LINE)
    return bool(
        codes.PUBLIC.search(lowered, first, end) or CALL_TO_OWN.search(lowered, first, code.start)
    )


def _leads_home(reading: Reading, segment: Segment, code: Code) -> bool:
    """Return whether the only link beside a code is the channel's own, or its shop on a platform for shops."""
    document = reading.document
    near = document.links_in(
        max(segment.start, code.start - _OWN_NEAR), min(segment.end, code.end + _OWN_NEAR)
    )
    return bool(near) and all(
        reading.context.owns_link(link)
        or (link.domain in SHOP_PLATFORMS and reading.context.is_named_in(link.subdomain))
        for link in near
    )


def _claim(reading: Reading, code: Code, found: Found, weight: float) -> Claim:
    document = reading.document
    segment = document.segments[code.segment]
    stretch = (max(segment.start, code.start - _NEAR), min(segment.end, code.end + _NEAR))
    offered = has_benefit(document.lowered, *stretch)
    link = _link(reading, segment, code, found)
    share = reading.context.boilerplate_domains.get(found.domain or "", 0.0)
    at_top = code.start < TOP and not share and offered
    return Claim(
        found=found,
        kind="paid_sponsorship" if at_top else "promo_code",
        code=code.text or None,
        link=link.url if link else None,
        start=segment.start if code.end - segment.start < 200 else code.start,
        end=min(segment.end, code.end + 120),
        weight=weight if offered or found.known or code.said else weight - 0.1,
        reason="promo code with a benefit" if offered else "promo code",
    )


def _link(reading: Reading, segment: Segment, code: Code, found: Found) -> Link | None:
    document = reading.document
    inside = document.links_in(
        max(segment.start, code.start - _NEAR), min(segment.end, code.end + _NEAR)
    )
    fitting = [
        link for link in inside if (brand := reading.brand_of(link)) and brand.slug == found.slug
    ]
    link = next(iter(fitting or inside), None) or reading.link_after(segment.end)
    return None if link and reading.context.owns_link(link) else link
