"""Persons in a sponsor's place: relatives, friends and supporters, who are no company."""

from collections.abc import Sequence
from typing import Final

from import_worker.detector.company_names import is_company_name
from import_worker.detector.folding import name_key
from import_worker.detector.phrases.exclusions import CHARITY, PUBLIC_BODY
from import_worker.detector.phrases.given_names import GIVEN_NAMES, is_person
from import_worker.detector.phrases.name_words import AMBIGUOUS
from import_worker.detector.phrases.other_subjects import (
    CHARITIES,
    HONORIFIC_BEFORE,
    HONORIFIC_BEHIND,
    INITIAL_BEHIND,
    KIN_ALONE,
    KIN_BEFORE,
    KIN_FIRST,
    LENDS_WITHOUT_TRADE,
    LEVEL_BEFORE,
    NEIGHBOUR_BEHIND,
    OBJECT,
    OTHER_THING,
    TITLE_FIRST,
)
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found
from import_worker.detector.statements import Statement

_BEFORE: Final = 40
_BEHIND: Final = 60
_FEWEST: Final = 2
"""Names with an initial, as a company's may end in a letter as well."""

_PERSONS_WORDS: Final = 3
_GIVEN_AND_FAMILY: Final = 2
_LEAD: Final = 14
"""Characters before a phrase that may have its preposition."""


def is_relative(reading: Reading, found: Found) -> bool:
    """Return whether a name is a relative's or a friend's by how it is introduced."""
    lowered = reading.document.lowered
    if KIN_BEFORE.search(lowered, max(found.start - _BEFORE, 0), found.start):
        return True
    if _is_vouched_for(found):
        return False
    first = KIN_FIRST.fullmatch(found.name)
    is_named = first is not None and first["name"].lower() in GIVEN_NAMES
    return is_named or KIN_ALONE.fullmatch(found.name) is not None


def is_thanked_for_other(reading: Reading, hit: Statement, found: Found) -> bool:
    """Return whether a name that nothing vouches for is thanked for sponsoring something else than a video."""
    if _is_vouched_for(found) or found.start >= hit.start:
        return False
    lowered = reading.document.lowered
    thing = OBJECT.search(lowered[max(hit.start - _LEAD, 0) : hit.end + _BEHIND])
    return thing is not None and OTHER_THING.search(thing["words"]) is not None


def is_level(reading: Reading, found: Found) -> bool:
    """Return whether a name is that of a level at which viewers support the channel."""
    first = max(found.start - _BEFORE, 0)
    return LEVEL_BEFORE.search(reading.document.lowered, first, found.start) is not None


def may_be_person(reading: Reading, found: Found) -> bool:
    """Return whether a name has a given name, a title or a neighbourhood, as persons have, and no word of a company."""
    if is_company_name(found.name):
        return False
    words = found.name.lower().split()
    lowered = reading.document.lowered
    return (
        is_person(found.name)
        or HONORIFIC_BEFORE.search(lowered, max(found.start - _LEAD, 0), found.start) is not None
        or HONORIFIC_BEHIND.match(lowered, found.end) is not None
        or HONORIFIC_BEHIND.search(found.name.lower()) is not None
        or (len(words) <= _PERSONS_WORDS and any(w.strip(".,") in GIVEN_NAMES for w in words))
        or TITLE_FIRST.match(found.name) is not None
        or is_placed(reading, found)
    )


def has_family_name(found: Found) -> bool:
    """Return whether a name has the form of a given name and a family's: two words, none of a company."""
    return len(found.name.split()) == _GIVEN_AND_FAMILY and not is_company_name(found.name)


def is_no_trade(found: Found) -> bool:
    """Return whether a name is a charity's, a public body's, a museum's or a school's: nobody who advertises."""
    name = found.name.lower()
    tables = (PUBLIC_BODY, CHARITY, CHARITIES, LENDS_WITHOUT_TRADE)
    return not found.known and any(table.search(name) for table in tables)


def is_placed(reading: Reading, found: Found) -> bool:
    """Return whether the words behind a name say where a person lives, or what they are to the creator."""
    behind = reading.document.lowered[found.end : found.end + _BEHIND]
    return NEIGHBOUR_BEHIND.match(behind) is not None


def supporters(reading: Reading, brands: Sequence[Found]) -> list[Found]:
    """Return the persons of a list in which several are named by the first letter of the family's name.

    The others are those of several words that nothing vouches for.
    """
    folded = reading.document.folded
    initials = [found for found in brands if _has_initial(found)]
    are_more = any(folded[found.end : found.end + 2] == ".," for found in initials)
    if len(initials) < _FEWEST and not are_more:
        return []
    return [found for found in brands if not _is_vouched_for(found) and " " in found.name]


def namesakes(reading: Reading, hit: Statement, brands: Sequence[Found]) -> list[Found]:
    """Return the brands of a list of thanked persons whose name is a given name or a word too.

    Persons are the others: single words that nothing vouches for. Who is said to sponsor is a company all the same.
    """
    others = [found for found in brands if not _is_vouched_for(found)]
    if hit.cue.strength == "strong" or len(others) < _FEWEST:
        return []
    if any(_is_vouched_for(found) and not _is_word(reading, found) for found in brands):
        return []
    if any(" " in found.name for found in others):
        return []
    return [found for found in brands if _is_word(reading, found)]


def _is_word(reading: Reading, found: Found) -> bool:
    """Return whether a known name is also a word, and no link leads to its brand."""
    written = name_key(reading.document.folded[found.start : found.end])
    links = reading.document.links
    return (
        found.known
        and written in AMBIGUOUS
        and not any(link.domain == found.domain for link in links)
    )


def _has_initial(found: Found) -> bool:
    return (
        not _is_vouched_for(found) and INITIAL_BEHIND.fullmatch(found.name.rstrip(".")) is not None
    )


def _is_vouched_for(found: Found) -> bool:
    return found.known or found.linked
