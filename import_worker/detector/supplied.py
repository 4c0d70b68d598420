"""How much a statement says that a name without a link is a company that supplied a product, and no person or thing."""

import re
from typing import Final

from import_worker.detector.company_names import is_company_name
from import_worker.detector.persons import is_no_trade, may_be_person
from import_worker.detector.phrases.exclusions import IN_THE_VIDEO
from import_worker.detector.phrases.free_products import FROM_VIEWERS, HANDED_OVER, REVIEWED
from import_worker.detector.phrases.supplied_things import (
    BUSINESS,
    CAPITAL_ARTICLE,
    CAPITAL_ARTICLE_BEFORE,
    FIRM,
    FIRM_BESIDE,
    FREE_OF_CHARGE,
    FURTHER_THING,
    KIT_LABEL,
    THING,
)
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found
from import_worker.detector.statements import Statement

UNVOUCHED: Final = 0.3
"""Weight of a weaker statement about a name that nothing vouches for."""

_SUPPLIER: Final = 0.84

_HANDED: Final = 0.7
"""Weight of a thing that changed hands, and nothing tells what it is."""

_PROVIDED: Final = "provided by"
"""A phrase that data and services have too."""

_BEHIND: Final = 60
_BESIDE: Final = 30
_ARTICLE: Final = 12
_EXCERPT: Final = 300

_SENTENCE_END: Final = re.compile(r"[.!?] ")

_THE_THING: Final = re.compile(
    r"\b(?:das|den|ein|eine|einen|mein|meine|meinen|dieses|diesen|unser)\s$"
)
"""A German article before a single word: what was given, and not who gave it."""

_ACCUSATIVE: Final = re.compile(
    r"(?:den|einen|meinen|unseren|diesen|seinen|ihren)\s", re.IGNORECASE
)
"""A German article that no giver has."""


def weight_of_supply(reading: Reading, hit: Statement, found: Found) -> float:
    """Return how much it says that a name without a link is a company that sent a product."""
    if may_be_person(reading, found) or is_no_trade(found) or _is_thing(reading, found):
        return UNVOUCHED
    around = _around(reading, hit)
    if REVIEWED.search(around) or _names_thing(reading, hit) or is_company_name(found.name):
        return _SUPPLIER
    if _is_said_of_company(reading, hit, found):
        return _SUPPLIER
    is_handed = hit.cue.stem in HANDED_OVER and not FROM_VIEWERS.search(around)
    return _HANDED if is_handed else UNVOUCHED


def _is_thing(reading: Reading, found: Found) -> bool:
    """Return whether a name is the word for a thing or a business, or a thing by its German article."""
    name = found.name.lower()
    if THING.fullmatch(name) or FURTHER_THING.fullmatch(name) or BUSINESS.fullmatch(name):
        return True
    if _ACCUSATIVE.match(name):
        return True
    before = reading.document.lowered[max(found.start - _ARTICLE, 0) : found.start]
    return " " not in found.name and _THE_THING.search(before) is not None


def _names_thing(reading: Reading, hit: Statement) -> bool:
    """Return whether a statement names what was supplied, or calls who gave it a company."""
    lowered = reading.document.lowered
    segment = reading.document.segments[hit.segment]
    before = _BESIDE if hit.cue.slot == "after" else 0
    return bool(
        THING.search(lowered, max(hit.start - before, segment.start), hit.end)
        or FURTHER_THING.search(lowered, *_beside(reading, hit))
        or FIRM.search(_around(reading, hit))
    )


def _is_said_of_company(reading: Reading, hit: Statement, found: Found) -> bool:
    """Return whether the words beside a name are said of companies: a firm, something for free, the label of a kit list."""
    lowered = reading.document.lowered
    start, end = _beside(reading, hit)
    if FIRM_BESIDE.search(lowered, start, end) or FREE_OF_CHARGE.search(lowered, start, end):
        return True
    if CAPITAL_ARTICLE.match(found.name) or CAPITAL_ARTICLE_BEFORE.search(
        reading.document.folded, max(found.start - _ARTICLE, 0), found.start
    ):
        return True
    if hit.cue.slot == "before":
        return False
    segment = reading.document.segments[hit.segment]
    label = KIT_LABEL.match(lowered, segment.start, max(hit.end, found.start))
    if label and _SENTENCE_END.search(lowered, label.end(), min(found.start, hit.start)) is None:
        return True
    if hit.cue.stem == _PROVIDED:
        return False
    return IN_THE_VIDEO.search(lowered, max(segment.start, start - _BEHIND), hit.start) is not None


def _beside(reading: Reading, hit: Statement) -> tuple[int, int]:
    segment = reading.document.segments[hit.segment]
    before = _BEHIND if hit.cue.slot == "item" else _BESIDE
    return max(segment.start, hit.start - before), min(segment.end, hit.end + _BESIDE)


def _around(reading: Reading, hit: Statement) -> str:
    segment = reading.document.segments[hit.segment]
    return reading.document.lowered[max(segment.start, hit.start - _BEHIND) : segment.end][
        :_EXCERPT
    ]
