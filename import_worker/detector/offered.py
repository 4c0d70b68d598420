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
_BEHIND: Final = 60
_BESIDE: Final = 36
_NOTHING: Final[tuple[Kind, float, str]] = ("affiliate", 0.0, "")
_EXCLUSIONS: Final = (OWN, CONTACT, CREDITS, CHARITY)


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
    first = max(_call_start(reading, segment, link), link.start - _LEAD)
    text = document.lowered[first : min(segment.end, link.end + _LEAD)]
    around = document.lowered[first : min(segment.end, link.end + _BEHIND)]
    found = _brand(reading, segment, link)
    if found is None or reading.is_platform(found):
        return None
    lead = _lead(reading, segment, link)
    kind, confidence, reason = _weigh(reading, link, found, text, lead)
    if not confidence or any(pattern.search(around) for pattern in _EXCLUSIONS):
        return None
    start = max(segment.start, link.start - _LEAD)
    return Claim(found, kind, None, link.url, start, link.end, confidence, reason)


def _call_start(reading: Reading, segment: Segment, link: Link) -> int:
    """Where the words about a link begin: in the line above when the link stands alone."""
    document = reading.document
    if any(c.isalnum() for c in document.folded[segment.start : link.start]):
        return segment.start
    index = document.segment_index(link.start)
    before = document.segments[max(index - 1, 0)]
    if before.paragraph != segment.paragraph or document.links_in(before.start, before.end):
        return segment.start
    return before.start


def _lead(reading: Reading, segment: Segment, link: Link) -> str:
    """The sentence before and the one behind the link's, when they are of the same paragraph."""
    document = reading.document
    index = document.segment_index(link.start)
    around = [
        document.lowered[item.start : item.end][:_LEAD]
        for item in document.segments[max(index - 1, 0) : index + 2]
        if item.paragraph == segment.paragraph and item is not segment
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


def _is_tied(reading: Reading, link: Link) -> bool:
    """Whether the link shows whose it is: the creator's path, a tracked one, or a redirect."""
    return (
        link.kind == "network"
        or reading.context.is_named_in(link.path)
        or reading.context.is_named_in(link.subdomain)
        or _TRACKED.search(link.path) is not None
        or reading.context.owns_link(link)
    )


def _weigh(  # noqa: PLR0911 - a table of cases, the surest first
    reading: Reading, link: Link, found: Found, text: str, lead: str
) -> tuple[Kind, float, str]:
    context = reading.context
    recurring = not context.owns_link(link) and link.domain in context.boilerplate_domains
    top = link.start < TOP and not recurring
    tied = _is_tied(reading, link)
    if not (tied or found.known or top):
        return _NOTHING
    benefit = BENEFIT.search(text) is not None
    near = benefit or (top and BENEFIT.search(lead) is not None)
    referral = REFERRAL.search(text) is not None or (benefit and OWN_LINK.search(text) is not None)
    if not (near or referral or top) or (
        not found.known and SUBSCRIBING.search(text.partition(link.url.lower())[0])
    ):
        return _NOTHING
    action = top and ACTION.search(text) is not None
    if not found.linked and not found.known:
        called = top and near and (tied or OWN_LINK.search(text) is not None)
        beside = top and benefit and link.start - found.end <= _BESIDE
        told = 0.72 if called else 0.62 if beside else 0.0
        return "paid_sponsorship", told, "call to act on the creator's link"
    if benefit and (tied or found.known):
        kind: Kind = "paid_sponsorship" if top else "affiliate"
        return kind, 0.9 if tied and found.known else 0.8, "offer with the creator's link"
    if referral and (tied or found.known):
        return "affiliate", 0.8, "referral link"
    if top and action and tied and (found.known or near):
        return "paid_sponsorship", 0.75, "call to act on the creator's link"
    if top and action and found.known and OWN_LINK.search(text):
        return "paid_sponsorship", 0.72, "call to act on the creator's link"
    if top and near and tied:
        return "paid_sponsorship", 0.65, "offer beside the creator's link"
    if top and benefit and action and link.path.strip("/"):
        return "paid_sponsorship", 0.6, "offer at the top"
    return _NOTHING
