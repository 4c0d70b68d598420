"""Claims from offers: a brand's link with a benefit for viewers, or with the creator's own path."""

import re
from collections.abc import Iterator
from typing import Final

from import_worker.detector.brand_names import read_name
from import_worker.detector.document import Segment
from import_worker.detector.links import Link
from import_worker.detector.phrases.exclusions import CHARITY, CONTACT, CREDITS, OWN
from import_worker.detector.phrases.offers import (
    ACTION,
    BENEFIT,
    CALL_TO_TRY,
    OWN_LINK,
    REFERRAL,
    SUBSCRIBING,
)
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.domain.records import Kind

TOP: Final = 500
"""Characters from the start in which a call to act is taken for the video's own."""

_MOST_LINKS: Final = 60
_TRACKED: Final = re.compile(
    r"[?&](?:utm_|ref|aff|tap_|sub_?id|irclickid|a_?id=|coupon|promo|discount|code|via=|fbclid|clickid|partner|campaign|sscid|rfsn|sca_ref)"
    r"|/r/|/ref/|/refer|/invite|/aff/|/discount/|/partner",
    re.IGNORECASE,
)
_LEAD: Final = 160


def offered_claims(reading: Reading) -> Iterator[Claim]:
    """The outside brands whose offer the text passes on."""
    for link in reading.document.links[:_MOST_LINKS]:
        if link.kind in {"platform", "store"}:
            continue
        claim = _claim(reading, link)
        if claim:
            yield claim


def _claim(reading: Reading, link: Link) -> Claim | None:
    document = reading.document
    segment = document.segments[document.segment_index(link.start)]
    text = document.lowered[
        max(segment.start, link.start - _LEAD) : min(segment.end, link.end + _LEAD)
    ]
    lead = _lead(reading, segment, link)
    if any(pattern.search(text) for pattern in (OWN, CONTACT, CREDITS, CHARITY)):
        return None
    found = _brand(reading, segment, link)
    if found is None:
        return None
    kind, confidence, reason = _weigh(reading, link, found, text, lead)
    if not confidence:
        return None
    start = max(segment.start, link.start - _LEAD)
    return Claim(found, kind, None, link.url, start, link.end, confidence, reason)


def _lead(reading: Reading, segment: Segment, link: Link) -> str:
    """The sentence before and the one behind the link's, when they are of the same paragraph."""
    document = reading.document
    index = document.segment_index(link.start)
    around = [
        document.lowered[one.start : one.end][:_LEAD]
        for one in document.segments[max(index - 1, 0) : index + 2]
        if one.paragraph == segment.paragraph and one is not segment
    ]
    return "\n".join(around)


def _brand(reading: Reading, segment: Segment, link: Link) -> Found | None:
    found = reading.brand_of(link)
    if found:
        return found
    if link.kind not in {"shortener", "hidden"}:
        return None
    named = reading.named_brands(max(segment.start, link.start - _LEAD), link.start)
    return named[-1] if named else _called(reading, segment, link)


def _called(reading: Reading, segment: Segment, link: Link) -> Found | None:
    """The brand that viewers are told to try, at the top, with a short link of the creator's."""
    document = reading.document
    if link.start > TOP:
        return None
    index = document.segment_index(link.start)
    before = document.segments[max(index - 1, 0)]
    start = before.start if before.paragraph == segment.paragraph else segment.start
    for call in CALL_TO_TRY.finditer(document.lowered, max(start, link.start - _LEAD), link.start):
        span = read_name(document.folded, call.end(), link.start)
        if span:
            name = document.folded[span[0] : span[1]]
            return from_name(name, span[0], reading.directory, reading.context)
    return None


def _weigh(  # noqa: PLR0911 - a table of cases, the surest first
    reading: Reading, link: Link, found: Found, text: str, lead: str
) -> tuple[Kind, float, str]:
    context = reading.context
    vanity = (
        context.is_named_in(link.path)
        or context.is_named_in(link.subdomain)
        or bool(_TRACKED.search(link.path))
    )
    benefit = BENEFIT.search(text) is not None
    near = benefit or BENEFIT.search(lead) is not None
    referral = REFERRAL.search(text) is not None or (benefit and OWN_LINK.search(text) is not None)
    action = ACTION.search(text) is not None
    recurring = context.boilerplate_domains.get(link.domain, 0.0) > 0
    top = link.start < TOP and not recurring
    tied = vanity or link.kind == "network"
    if not found.known and SUBSCRIBING.search(text):
        return "affiliate", 0.0, ""
    if not found.linked and not found.known:
        called = top and near and (tied or OWN_LINK.search(text) is not None)
        return "paid_sponsorship", 0.72 if called else 0.0, "call to act on the creator's link"
    if benefit and (tied or found.known):
        kind: Kind = "paid_sponsorship" if top else "affiliate"
        return kind, 0.9 if tied and found.known else 0.8, "offer with the creator's link"
    if referral and (tied or found.known):
        return "affiliate", 0.8, "referral link"
    if top and action and tied and (found.known or near):
        return "paid_sponsorship", 0.75, "call to act on the creator's link"
    if top and near and tied:
        return "paid_sponsorship", 0.65, "offer beside the creator's link"
    if top and benefit and action and link.path.strip("/"):
        return "paid_sponsorship", 0.6, "offer at the top"
    return "affiliate", 0.0, ""
