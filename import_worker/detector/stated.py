"""Claims from statements: "sponsored by", "in partnership with", "provided by … for review"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from ahocorasick_rs import AhoCorasick

from import_worker.detector.document import Document
from import_worker.detector.phrases import disclosures, free_products
from import_worker.detector.phrases.cue import Cue
from import_worker.detector.phrases.exclusions import (
    CHARITY,
    CONTACT,
    CREDITS,
    NEGATED,
    OWN,
    STATE,
    SUPPLIED_MATERIAL,
)
from import_worker.detector.phrases.offers import BENEFIT
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found
from import_worker.detector.slots import brands_after, brands_before

_BEFORE: Final = 50
_BEHIND: Final = 60
_MOST_HITS: Final = 40
_NEGATION: Final = 32
_LIST_LINES: Final = 12
_LISTED: Final = re.compile(r"\s*[:\-|]?\s*$")
_EXCERPT: Final = 300
_REVIEW: Final = re.compile(
    r"\breview|\bsample|\bproduct|\bunit\b|\bphone\b|\bdevice|\blaptop|\btablet|\bcar\b|\bfree of charge|\btest"
)


@dataclass(frozen=True, slots=True)
class _Hit:
    cue: Cue
    start: int
    end: int
    segment: int


@cache
def _cues() -> tuple[Cue, ...]:
    tables = (
        disclosures.AFTER,
        disclosures.THANKED_BEFORE,
        free_products.AFTER,
        free_products.BEFORE,
        disclosures.PARTNER_AFTER,
        disclosures.PARTNER_BEFORE,
    )
    return tuple(cue for table in tables for cue in table.cues())


@cache
def _by_stem() -> tuple[AhoCorasick, tuple[tuple[Cue, ...], ...]]:
    stems = tuple(dict.fromkeys(cue.stem for cue in _cues()))
    groups = tuple(tuple(cue for cue in _cues() if cue.stem == stem) for stem in stems)
    return AhoCorasick(stems), groups


def has_statement_stem(lowered: str) -> bool:
    """Whether any phrase of the tables can occur in a text."""
    return bool(_by_stem()[0].find_matches_as_indexes(lowered[:20_000]))


def stated_claims(reading: Reading) -> Iterator[Claim]:
    """The brands that the text says stand behind the video."""
    for hit in _hits(reading.document):
        if not _is_void(reading, hit):
            yield from _claims(reading, hit)


def _hits(document: Document) -> Iterator[_Hit]:
    automaton, groups = _by_stem()
    seen: set[tuple[str, int]] = set()
    matches = automaton.find_matches_as_indexes(document.lowered, overlapping=True)
    for stem, start, _ in matches[:_MOST_HITS]:
        index = document.segment_index(start)
        segment = document.segments[index]
        for cue in groups[stem]:
            low = max(segment.start, start - _BEFORE)
            match = cue.pattern.search(document.lowered, low, min(segment.end, start + _BEHIND))
            if match and (cue.pattern.pattern, match.start()) not in seen:
                seen.add((cue.pattern.pattern, match.start()))
                yield _Hit(cue, match.start(), match.end(), index)


def _is_void(reading: Reading, hit: _Hit) -> bool:
    document = reading.document
    segment = document.segments[hit.segment]
    lowered = document.lowered
    before = lowered[max(segment.start, hit.start - _NEGATION) : hit.start]
    text = lowered[segment.start : min(segment.end, hit.end + _BEHIND)]
    if NEGATED.search(before) or STATE.search(text):
        return True
    if hit.cue.strength == "strong" and hit.cue.kind == "paid_sponsorship":
        return bool(CONTACT.search(lowered, max(segment.start, hit.start - _BEHIND), hit.end))
    if hit.cue.kind == "free_product":
        near = lowered[max(segment.start, hit.start - _BEHIND) : hit.end]
        return bool(SUPPLIED_MATERIAL.search(near) or CREDITS.search(near))
    near = lowered[max(segment.start, hit.start - _EXCERPT) : min(segment.end, hit.end + _BEHIND)]
    return any(pattern.search(near) for pattern in (CREDITS, CONTACT, CHARITY))


def _claims(reading: Reading, hit: _Hit) -> Iterator[Claim]:
    document = reading.document
    segment = document.segments[hit.segment]
    if hit.cue.slot == "before":
        brands = brands_before(reading, segment.start, hit.start)
    else:
        _, line_end = document.line_of(hit.segment)
        brands = brands_after(reading, hit.end, line_end)
    if (
        not brands
        and hit.cue.slot == "after"
        and _LISTED.match(document.lowered[hit.end : segment.end])
    ):
        brands = _listed(reading, hit)
    for found in brands:
        confidence = _confidence(reading, hit, found)
        if confidence:
            yield _claim(reading, hit, found, confidence)


def _listed(reading: Reading, hit: _Hit) -> list[Found]:
    """The brands of the lines under a heading: a name or a link at the beginning of each."""
    document = reading.document
    brands: list[Found] = []
    for segment in document.segments[hit.segment + 1 :][:_LIST_LINES]:
        if segment.paragraph > document.segments[hit.segment].paragraph + (0 if brands else 1):
            break
        if OWN.search(document.lowered, segment.start, segment.end):
            continue
        found = brands_after(reading, segment.start, segment.end)
        if not found or not (
            found[0].linked or found[0].known or document.links_in(segment.start, segment.end)
        ):
            break
        brands.extend(found[:1])
    return brands


def _confidence(reading: Reading, hit: _Hit, found: Found) -> float:
    if hit.cue.strength == "strong":
        if found.known:
            return 0.97
        if hit.cue.kind == "free_product" and not found.linked:
            return 0.84 if _REVIEW.search(_around(reading, hit)) else 0.7
        return 0.95 if found.linked else 0.86
    segment = reading.document.segments[hit.segment]
    offered = BENEFIT.search(reading.document.lowered, segment.start, segment.end) is not None
    if not found.known and not (found.linked and (offered or _is_vanity(reading, found))):
        return 0.0
    if not offered and reading.link_after(segment.start) is None:
        return 0.0
    return (0.82 if found.known else 0.72) + (0.08 if offered else 0.0)


def _around(reading: Reading, hit: _Hit) -> str:
    segment = reading.document.segments[hit.segment]
    return reading.document.lowered[max(segment.start, hit.start - _BEHIND) : segment.end][
        :_EXCERPT
    ]


def _is_vanity(reading: Reading, found: Found) -> bool:
    link = reading.link_after(found.start)
    return link is not None and reading.context.is_named_in(link.path)


def _claim(reading: Reading, hit: _Hit, found: Found, confidence: float) -> Claim:
    document = reading.document
    segment = document.segments[document.segment_index(hit.start)]
    start = max(min(hit.start, found.start), segment.start if found.start >= segment.start else 0)
    end = min(max(hit.end, found.end), len(document.folded))
    if segment.start <= start and end <= segment.end <= segment.start + _EXCERPT:
        start, end = segment.start, segment.end
    elif end - start > _EXCERPT:
        start, end = found.start, found.end
    link = next(iter(document.links_in(found.start, found.end)), None) or reading.link_after(end)
    return Claim(
        found=found,
        kind=hit.cue.kind,
        code=None,
        link=link.url if link and not reading.context.owns_link(link) else None,
        start=start,
        end=end,
        confidence=confidence,
        reason=hit.cue.reason,
    )
