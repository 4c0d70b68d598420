"""Claims from offers: a brand's link with a benefit for viewers, or with the creator's own path."""

from collections.abc import Iterator
from typing import Final

from import_worker.detector.brand_names import read_name
from import_worker.detector.called_apps import called_app
from import_worker.detector.document import Segment
from import_worker.detector.links import Link
from import_worker.detector.offer_scoring import TOP, OfferSigns, score_offer
from import_worker.detector.phrases.exclusions import (
    CHARITY,
    CONTACT,
    CREDITS,
    OWN,
    denies_sponsor,
)
from import_worker.detector.phrases.offers import CALL_TO_TRY
from import_worker.detector.phrases.user_pages import CALL_TO_OWN
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, from_name

_MAX_LINKS: Final = 200
_LEAD: Final = 160
_BEHIND: Final = 60
_EXCLUSIONS: Final = (OWN, CONTACT, CREDITS, CHARITY, CALL_TO_OWN)


def offered_claims(reading: Reading) -> Iterator[Claim]:
    """Yield the outside brands whose offer the text passes on."""
    for link in reading.document.links[:_MAX_LINKS]:
        if link.kind in {"platform", "store"}:
            continue
        claim = _claim(reading, link)
        if claim:
            yield claim


def _claim(reading: Reading, link: Link) -> Claim | None:
    document = reading.document
    segment = document.segments[document.segment_index(link.start)]
    first = max(_call_start(reading, segment, link), link.start - _LEAD)
    found = _brand(reading, segment, link)
    if found is None or reading.is_platform(found):
        return None
    text = document.lowered[first : min(segment.end, link.end + _LEAD)]
    score = score_offer(
        OfferSigns(reading, link, found, text, lambda: _lead(reading, segment, link))
    )
    if score is None:
        return None
    around = document.lowered[first : min(segment.end, link.end + _BEHIND)]
    if any(pattern.search(around) for pattern in _EXCLUSIONS) or denies_sponsor(around):
        return None
    start = max(segment.start, link.start - _LEAD)
    return Claim(found, score.kind, None, link.url, start, link.end, score.weight, score.reason)


def _call_start(reading: Reading, segment: Segment, link: Link) -> int:
    """Return the start of the words about a link: in the line above when the link stands alone."""
    document = reading.document
    if any(c.isalnum() for c in document.folded[segment.start : link.start]):
        return segment.start
    index = document.segment_index(link.start)
    before = document.segments[max(index - 1, 0)]
    if before.paragraph != segment.paragraph or document.links_in(before.start, before.end):
        return segment.start
    return before.start


def _lead(reading: Reading, segment: Segment, link: Link) -> str:
    """Return the sentence before and the one behind the link's, when they are of the same paragraph."""
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
    """Return the brand that viewers are told to try, at the top, with a short link of the creator's."""
    document = reading.document
    if link.start > TOP:
        return None
    index = document.segment_index(link.start)
    before = document.segments[max(index - 1, 0)]
    start = before.start if before.paragraph == segment.paragraph else segment.start
    if app := called_app(document.folded, max(start, link.start - _LEAD), link.start):
        name = document.folded[slice(*app)]
        return from_name(name, app[0], reading.directory, reading.context)
    for call in CALL_TO_TRY.finditer(document.lowered, max(start, link.start - _LEAD), link.start):
        span = read_name(document.folded, call.end(), link.start)
        if span:
            name = document.folded[span[0] : span[1]]
            return from_name(name, span[0], reading.directory, reading.context)
    return None
