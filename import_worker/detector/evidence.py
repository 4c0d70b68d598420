"""The detection of a decided candidate: its kind, code, link and the text that shows it."""

import re
from typing import Final

from import_worker.detector.candidates import Candidate, Mention
from import_worker.detector.detection import Detection
from import_worker.detector.document import Document
from import_worker.detector.headings import headings
from import_worker.detector.item_signs import TOP
from import_worker.detector.own_links import leads_to
from import_worker.detector.phrases.offers import REFERRAL
from import_worker.detector.proposals import Decided
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.reasons import describe
from import_worker.detector.sponsor_lists import is_under_role
from import_worker.domain.records import KINDS, Kind

_EXCERPT: Final = 300
_CODE_WITHIN: Final = 140
_HIDING: Final = frozenset({"shortener", "hidden"})
_OFFERS: Final = frozenset(
    {
        "offer with the creator's link", "call to act on the creator's link", "offer beside the creator's link", "offer at the top",
        "referral link", "promo code", "promo code with a benefit",
    }
)  # fmt: skip
"""Reasons of claims that no statement goes with."""
_OPENING: Final = 150
"""Characters from the start within which an offer with a code is the video's own."""
_FIRST: Final = 60
"""The same where the text gives several codes."""
_LIST_OF_CODES: Final = 3
_START: Final = 5
_REFERRED: Final = re.compile(
    r"[?&](?:ref|aff|via|r|igr|a_?id|aff_?id|referral|refid|invite|partner|a)\w{0,4}=|/(?:invite|refer|ref|referral|join|c|r|igr|friend|affiliate)/",
    re.IGNORECASE,
)
"""A link's path with the number or name of who referred."""
_SPONSORS: Final = re.compile(r"spons|partner")
_PAYING: Final = frozenset({"sponsors", "affiliate"})
_HEADING: Final = 30
"""Characters before a heading in which its line says more of it."""

_AFFILIATE: Final = ("item:starred", "item:referral", "item:referral_near", "item:topic_affiliate")


def detection_of(item: Decided) -> Detection:
    """Return a candidate as a detection, with the evidence that its best claim or item gives."""
    candidate = item.candidate
    found = candidate.found
    claim, reading = _best_claim(candidate)
    mention = candidate.mentions[0] if candidate.mentions else None
    document = reading.document
    start, end = _excerpt(candidate, claim, mention, document)
    first, last = document.original_span(start, end)
    code = _code(candidate, mention)
    return Detection(
        brand=found.name,
        slug=found.slug,
        domain=found.domain,
        kind=_kind(item, code),
        code=code,
        link=_link(candidate, mention),
        excerpt=document.original[first:last],
        source=document.source,
        start=first,
        end=last,
        confidence=round(item.probability, 2),
        reason=describe(item.reasons, claim.reason if claim else None),
    )


def _best_claim(candidate: Candidate) -> tuple[Claim | None, Reading]:
    if not candidate.claims:
        return None, candidate.reading
    return max(
        candidate.claims,
        key=lambda item: (item[0].weight, -KINDS.index(item[0].kind), -item[0].start),
    )


def _excerpt(
    candidate: Candidate, claim: Claim | None, mention: Mention | None, document: Document
) -> tuple[int, int]:
    if claim:
        start, end = claim.start, claim.end
    elif mention:
        start, end = mention.item.start, max(mention.item.end, mention.item.link.end)
    else:
        start, end = candidate.found.start, candidate.found.end
    end = min(end, len(document.folded), start + _EXCERPT)
    return _trimmed(document.text, start, end)


def _kind(item: Decided, code: str | None) -> Kind:
    candidate, features = item.candidate, item.features
    stated = [claim for claim, _ in candidate.claims if claim.reason not in _OFFERS]
    if stated:
        return _kind_of_statements(stated)
    is_listed = bool(candidate.listed or features.get("item:topic_sponsors"))
    if is_listed and not _is_called_affiliate(candidate):
        is_supplied = is_under_role(candidate.reading.document, candidate.start)
        return "free_product" if is_supplied else "paid_sponsorship"
    is_marked = bool(features.get("text:marked")) and candidate.start <= TOP
    return "paid_sponsorship" if is_marked else _kind_of_offer(item, code)


def _kind_of_statements(claims: list[Claim]) -> Kind:
    """Return what statements tell: a supplied product where all of them are of the same words."""
    supplied = {claim.start for claim in claims if claim.kind == "free_product"}
    if supplied and all(claim.start in supplied for claim in claims):
        return "free_product"
    return KINDS[min(KINDS.index(claim.kind) for claim in claims)]


def _kind_of_offer(item: Decided, code: str | None) -> Kind:
    """Return the kind of an offer that no statement goes with: at the very top it is the video's own, further down it recurs."""
    candidate = item.candidate
    start = candidate.start
    recurs = bool(item.features.get("name:boilerplate"))
    if not code and _is_called_affiliate(candidate):
        return "affiliate"
    if code:
        is_list = recurs or len(candidate.reading.codes) >= _LIST_OF_CODES
        return "paid_sponsorship" if start < (_FIRST if is_list else _OPENING) else "promo_code"
    if start > _START and _is_referral(item):
        return "affiliate"
    return "paid_sponsorship" if start < TOP and not recurs else "affiliate"


def _is_called_affiliate(candidate: Candidate) -> bool:
    """Return whether the label of a link or the heading of its list says outright that it is an affiliate's."""
    document = candidate.reading.document
    return any(
        REFERRAL.search(document.lowered, mention.item.start, mention.item.link.start)
        or _is_under_affiliates(document, mention)
        for mention in candidate.mentions[:1]
    )


def _is_under_affiliates(document: Document, mention: Mention) -> bool:
    """Return whether the heading of a list speaks of affiliates and of no sponsors or partners."""
    if mention.item.topic not in _PAYING:
        return False
    above = [
        (start, end)
        for start, end, topic in headings(document.lowered)
        if topic in _PAYING and start <= mention.item.start
    ]
    if not above:
        return False
    start, end = above[-1]
    before = document.lowered[max(start - _HEADING, 0) : start].rpartition("\n")[2]
    heading = before + document.lowered[start:end]
    return REFERRAL.search(heading) is not None and _SPONSORS.search(heading) is None


def _is_referral(item: Decided) -> bool:
    """Return whether a link is called or shaped as one that earns the creator something."""
    return any(item.features.get(name) for name in _AFFILIATE) or any(
        _REFERRED.search(mention.item.link.path) for mention in item.candidate.mentions
    )


def _code(candidate: Candidate, mention: Mention | None) -> str | None:
    for claim, _ in candidate.claims:
        if claim.code:
            return claim.code
    if candidate.claims or mention is None:
        return None
    item = mention.item
    for code in candidate.reading.codes:
        if item.start <= code.start < item.end + _CODE_WITHIN:
            return code.text or None
    return None


def _link(candidate: Candidate, mention: Mention | None) -> str | None:
    for claim, _ in candidate.claims:
        if claim.link:
            return claim.link
    if candidate.claims or mention is None:
        return None
    link = mention.item.link
    is_shown = link.kind in _HIDING or leads_to(candidate.reading, candidate.found, link)
    return link.url if is_shown else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
