"""The tables of phrases that a stretch of a text can match at all, by one scan of the text for their literals."""

import re
from bisect import bisect_right
from collections import defaultdict
from functools import cache, lru_cache
from typing import Final

from ahocorasick_rs import AhoCorasick

from import_worker.detector.literals import required_literals
from import_worker.detector.phrases.codes import PLATFORM_CODES
from import_worker.detector.phrases.exclusions import CHARITY, CONTACT, CREDITS, OWN
from import_worker.detector.phrases.marks import ANY_MARK
from import_worker.detector.phrases.offers import (
    ACTION,
    AFFILIATE_NOTE,
    BENEFIT,
    OWN_LINK,
    REFERRAL,
    SUBSCRIBING,
)
from import_worker.detector.phrases.section_words import MARKETPLACE, MEDIA

_TABLES: Final[tuple[re.Pattern[str], ...]] = (
    ACTION, AFFILIATE_NOTE, ANY_MARK, BENEFIT, CHARITY, CONTACT, CREDITS, MARKETPLACE, MEDIA, OWN, OWN_LINK,
    PLATFORM_CODES, REFERRAL, SUBSCRIBING,
)  # fmt: skip
_BITS: Final = {table: 1 << number for number, table in enumerate(_TABLES)}


def bit_of(table: re.Pattern[str]) -> int:
    """Return the bit that stands for a table."""
    return _BITS[table]


def searchable(lowered: str, start: int, end: int) -> int:
    """Return the bits of the tables that may match within a stretch of a text."""
    ends, bits = _literals_in(lowered)
    first = bisect_right(ends, start)
    found = 0
    for bit in bits[first : bisect_right(ends, end, first)]:
        found |= bit
    return found


def matches(table: re.Pattern[str], lowered: str, start: int, end: int) -> bool:
    """Return whether a table matches within a stretch of a text."""
    return (
        bool(searchable(lowered, start, end) & _BITS[table])
        and table.search(lowered, start, end) is not None
    )


@lru_cache(maxsize=4)
def _literals_in(lowered: str) -> tuple[list[int], list[int]]:
    """Return where the tables' literals end in a text, ascending, and the tables of each."""
    automaton, bits = _automaton()
    found = automaton.find_matches_as_indexes(lowered, overlapping=True)
    return [end for _, _, end in found], [bits[number] for number, _, _ in found]


@cache
def _automaton() -> tuple[AhoCorasick, tuple[int, ...]]:
    """Return an automaton of all literals, and the tables of each."""
    tables: defaultdict[str, int] = defaultdict(int)
    for table, bit in _BITS.items():
        for literal in required_literals(table):
            tables[literal] |= bit
    return AhoCorasick(list(tables)), tuple(tables.values())
