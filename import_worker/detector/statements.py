"""Statements that a text makes about its sponsors: where they are, and which of them are void."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from ahocorasick_rs import AhoCorasick

from import_worker.detector.document import Document
from import_worker.detector.phrases import (
    backers,
    disclosures,
    free_products,
    made_together,
    paid_statements,
    sponsored_by,
    supplied_things,
    supplies,
)
from import_worker.detector.phrases.cue import Cue
from import_worker.detector.phrases.exclusions import (
    CHARITY,
    CONTACT,
    CREDITS,
    ELSEWHERE,
    FANS,
    IN_THE_VIDEO,
    NEGATED,
    NEGATED_BEHIND,
    NEGATED_INSIDE,
    NEITHER,
    OWN,
    STATE,
    SUPPLIED_MATERIAL,
    THANKED_FOR_FOOTAGE,
)
from import_worker.detector.phrases.other_subjects import (
    BEGINS_QUOTATION,
    ENDS_QUOTATION,
    IN_THE_PAST,
    MADE_BY,
    NO_LONGER,
    OTHER_EVENT,
    OTHER_OBJECT,
    OTHER_SUBJECT,
    ROW_OF_CREDITS,
)

_BEFORE: Final = 50

_BEHIND: Final = 60

_MAX_HITS: Final = 400

_NEGATION: Final = 32

_CREDITS_WITHIN: Final = 300

_WITH_OWN: Final = frozenset({"firm", "together", "fair"})
"""Strengths of phrases that creators use of their own things too."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A phrase found from `start` up to `end`, in the segment of that number."""

    cue: Cue
    start: int
    end: int
    segment: int


def statements(document: Document) -> Iterator[Statement]:
    """Yield the phrases of the tables that a text holds."""
    automaton, groups = _by_stem()
    seen: set[tuple[str, int]] = set()
    matches = automaton.find_matches_as_indexes(document.lowered, overlapping=True)
    for stem, start, _ in matches[:_MAX_HITS]:
        index = document.segment_index(start)
        segment = document.segments[index]
        for cue in groups[stem]:
            low = max(segment.start, start - _BEFORE)
            match = _match_at(cue, document.lowered, start, low, min(segment.end, start + _BEHIND))
            if match and (cue.pattern.pattern, match.start()) not in seen:
                seen.add((cue.pattern.pattern, match.start()))
                yield Statement(cue, match.start(), match.end(), index)


def _match_at(cue: Cue, lowered: str, stem: int, start: int, end: int) -> re.Match[str] | None:
    """Return the match of a phrase that holds the stem found, else the first: the words before may have the phrase too."""
    matches = list(cue.pattern.finditer(lowered, start, end))
    return next((match for match in matches if match.end() > stem), next(iter(matches), None))


def is_void(document: Document, hit: Statement) -> bool:
    """Return whether the words around a statement negate it, or make it one about something else."""
    segment = document.segments[hit.segment]
    lowered = document.lowered
    if is_denied(document, hit) or _is_of_others(document, hit):
        return True
    if hit.cue.strength == "strong" and hit.cue.kind == "paid_sponsorship":
        return bool(CONTACT.search(lowered, max(segment.start, hit.start - _BEHIND), hit.end))
    if hit.cue.kind == "free_product":
        return _is_of_material(document, hit)
    near = _beside(document, hit) if hit.cue.strength == "together" else _around(document, hit)
    if hit.cue.strength in _WITH_OWN and OWN.search(
        lowered, hit.end, min(segment.end, hit.end + 40)
    ):
        return True
    return any(pattern.search(near) for pattern in (CREDITS, CONTACT, CHARITY))


def _is_of_material(document: Document, hit: Statement) -> bool:
    """Return whether what was supplied is footage, music or another thing that credits name.

    A label begins an entry of its own: credits before it are of others.
    """
    lowered = document.lowered
    segment = document.segments[hit.segment]
    is_label = lowered[hit.start : hit.end].rstrip().endswith(":")
    first = hit.start if is_label else max(segment.start, hit.start - _BEHIND)
    near = IN_THE_VIDEO.sub(" ", lowered[first : hit.end])
    if SUPPLIED_MATERIAL.search(near) or CREDITS.search(near):
        return True
    is_thanked = hit.cue.slot == "before"
    behind = min(segment.end, hit.end + _BEHIND)
    return is_thanked and THANKED_FOR_FOOTAGE.match(lowered, hit.end, behind) is not None


def is_denied(document: Document, hit: Statement) -> bool:
    """Return whether a sentence says that a statement is not so."""
    segment = document.segments[hit.segment]
    lowered = document.lowered
    behind = lowered[hit.end : min(segment.end, hit.end + _NEGATION)]
    return bool(
        NEGATED_INSIDE.search(lowered, hit.start, hit.end)
        or NEGATED.search(_before(document, hit))
        or NEITHER.search(lowered[segment.start : hit.start])
        or NEGATED_BEHIND.search(behind)
    )


def _is_of_others(document: Document, hit: Statement) -> bool:
    """Return whether a statement is of another video, of a state, or of people who support the channel."""
    if ELSEWHERE.search(_before(document, hit)) or STATE.search(_around(document, hit)):
        return True
    if _is_of_other_things(document, hit):
        return True
    segment = document.segments[hit.segment]
    first = max(segment.start, hit.start - _NEGATION)
    found = FANS.finditer(document.lowered, first, min(segment.end, hit.end + _NEGATION))
    return any(match.end() > hit.start for match in found)


def _is_of_other_things(document: Document, hit: Statement) -> bool:
    """Return whether a statement is of a place, a club or somebody's past, is a title in quotes, or stands in credits."""
    lowered = document.lowered
    segment = document.segments[hit.segment]
    before = _before(document, hit)
    behind = lowered[hit.end : min(segment.end, hit.end + _BEHIND)]
    around = before + lowered[hit.start : hit.end] + behind
    is_others = OTHER_SUBJECT.search(before) or OTHER_OBJECT.search(around)
    if is_others or any(
        pattern.search(around) for pattern in (IN_THE_PAST, NO_LONGER, OTHER_EVENT)
    ):
        return True
    opened, closed = BEGINS_QUOTATION.search(before), ENDS_QUOTATION.match(behind)
    if opened and closed and opened["quote"] == closed["quote"]:
        return True
    row = lowered[max(hit.start - _BEHIND, 0) : hit.start]
    is_made = MADE_BY.search(lowered, hit.start, hit.end) is not None
    return is_made and ROW_OF_CREDITS.search(row) is not None


def _before(document: Document, hit: Statement) -> str:
    first = max(document.segments[hit.segment].start, hit.start - _NEGATION)
    return document.lowered[first : hit.start]


def _around(document: Document, hit: Statement) -> str:
    segment = document.segments[hit.segment]
    first = max(segment.start, hit.start - _CREDITS_WITHIN)
    return document.lowered[first : min(segment.end, hit.end + _BEHIND)]


def _beside(document: Document, hit: Statement) -> str:
    """Return what stands around a statement, without its own words: "produced" in it is no credit."""
    segment = document.segments[hit.segment]
    first = max(segment.start, hit.start - _CREDITS_WITHIN)
    behind = document.lowered[hit.end : min(segment.end, hit.end + _BEHIND)]
    return f"{document.lowered[first : hit.start]} {behind}"


@cache
def _cues() -> tuple[Cue, ...]:
    tables = (
        disclosures.AFTER,
        disclosures.THANKED_BEFORE,
        free_products.AFTER,
        free_products.BEFORE,
        disclosures.ADVERT_AFTER,
        disclosures.MADE_POSSIBLE,
        disclosures.PARTNER_AFTER,
        disclosures.PARTNER_BEFORE,
        sponsored_by.STATED,
        sponsored_by.THANKED,
        sponsored_by.THANKED_FOR_COOPERATION,
        sponsored_by.PARTNERS,
        backers.SPONSORS,
        backers.SPONSORS_EITHER,
        backers.BACKERS,
        backers.BACKERS_EITHER,
        backers.SAME_AS_BEFORE,
        made_together.MADE_TOGETHER,
        made_together.MADE_TOGETHER_BEFORE,
        paid_statements.PAID,
        paid_statements.MADE_WITH,
        paid_statements.MADE_POSSIBLE,
        paid_statements.PAYERS,
        paid_statements.PAID_TOGETHER,
        paid_statements.SUPPLIED,
        paid_statements.SUPPLIERS,
        supplies.GIVERS,
        supplies.GIVERS_EITHER,
        supplies.GIVEN_BY,
        supplies.THANKED_FOR_LOAN,
        supplies.GIFT_MARKS,
        supplies.GIVEN_BY_THE_SAME,
        supplied_things.GIVEN_THINGS,
        supplied_things.GIVEN_BY_SUBJECT,
        supplied_things.THANKED_FOR_THINGS,
    )
    return tuple(cue for table in tables for cue in table.cues())


@cache
def _by_stem() -> tuple[AhoCorasick, tuple[tuple[Cue, ...], ...]]:
    groups: defaultdict[str, list[Cue]] = defaultdict(list)
    for cue in _cues():
        groups[cue.stem].append(cue)
    return AhoCorasick(list(groups)), tuple(tuple(cues) for cues in groups.values())
