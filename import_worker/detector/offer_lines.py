"""Lines that name a brand beside a code that bears the channel's name, without a link and under no heading."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final

from import_worker.detector.benefits import has_benefit
from import_worker.detector.document import Document
from import_worker.detector.entry_names import EntryName, is_code_like, name_of_entry
from import_worker.detector.list_entries import parted
from import_worker.detector.name_parts import name_parts
from import_worker.detector.phrases.code_entries import NO_SHOP_ROLE
from import_worker.detector.phrases.codes import PLATFORM_CODES
from import_worker.detector.phrases.entry_words import BULLETS, CODE_WORD, OWN_THINGS
from import_worker.detector.phrases.exclusions import CREDITS, OWN_GOODS
from import_worker.detector.prefilter import matches
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import from_name

_WORD: Final = re.compile(r"[\w&]+")
_MAX_CODES: Final = 200
_MAX_LENGTH: Final = 200
_NO_CODE_BEFORE: Final = frozenset("@#/.-")
_BEGINNING: Final = 4
"""Letters of a part of a channel's name that its code has at least."""

_FEW_OTHERS: Final = 4
_WEIGHT: Final = 0.75


def offer_line_claims(reading: Reading) -> Iterator[Claim]:
    """Yield the brands of such lines, each with its code."""
    document = reading.document
    for entry in _entries(reading):
        if any(link.kind != "platform" for link in document.links_in(*entry)) or matches(
            PLATFORM_CODES, document.lowered, *entry
        ):
            continue
        named = name_of_entry(reading, *entry)
        if named is None or not _is_offer(document, entry, named):
            continue
        name = document.folded[named.start : named.end]
        if found := from_name(name, named.start, reading.directory, reading.context):
            yield Claim(
                found,
                "promo_code",
                named.code,
                None,
                *entry,
                _WEIGHT,
                "promo code beside a name",
            )


def _is_offer(document: Document, entry: tuple[int, int], named: EntryName) -> bool:
    """Return whether an entry offers what it names by a code: it says so, or is no more than both."""
    if named.code is None or not named.is_parted:
        return False
    lowered = document.lowered
    if _is_of_no_shop(lowered, entry):
        return False
    if has_benefit(lowered, *entry) or CODE_WORD.search(lowered, *entry):
        return True
    is_distinct = named.code.isupper() and any(c.isdigit() for c in named.code)
    between = document.folded[named.end : entry[1]].partition(named.code)[0]
    others = document.folded[entry[0] : named.start] + document.folded[named.end : entry[1]]
    is_whole = sum(c.isalnum() for c in others.replace(named.code, "")) <= _FEW_OTHERS
    return is_distinct and (is_whole or len(between) <= _FEW_OTHERS)


def _is_of_no_shop(lowered: str, entry: tuple[int, int]) -> bool:
    """Return whether an entry is of credits, of the creator's own things or of a role that no shop has."""
    is_other = any(sign.search(lowered, *entry) for sign in (CREDITS, OWN_THINGS, OWN_GOODS))
    return is_other or NO_SHOP_ROLE.match(lowered[slice(*entry)].lstrip(BULLETS)) is not None


def _entries(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield the parts of lines that hold such words and are short enough for an entry."""
    document = reading.document
    by_segment = groupby(_tokens(reading), document.segment_index)
    for index, tokens in by_segment:
        starts = list(tokens)
        segment = document.segments[index]
        for start, end in parted(document, segment.start, segment.end):
            is_held = bisect_left(starts, start) < bisect_left(starts, end)
            if is_held and end - start <= _MAX_LENGTH:
                yield start, end


def _tokens(reading: Reading) -> Iterator[int]:
    """Yield where words begin that read as a code of the creator's: they hold a part of the channel's name."""
    folded = reading.document.folded
    at = count = 0
    pattern = _parts_of(reading.context.name)
    while pattern and count < _MAX_CODES and (part := pattern.search(folded, at)):
        start = part.start()
        while start and _WORD.match(folded[start - 1]):
            start -= 1
        word = _WORD.match(folded, start)
        at = max(word.end() if word else 0, part.end())
        if (
            word
            and folded[start - 1 : start] not in _NO_CODE_BEFORE
            and is_code_like(reading, word.group())
        ):
            yield start
            count += 1


@lru_cache(maxsize=256)
def _parts_of(channel: str) -> re.Pattern[str] | None:
    """Return what finds the parts of a channel's name that codes are made of: in capitals, or with digits behind."""
    parts = {re.escape(part[:_BEGINNING]) for part in name_parts(channel)}
    if not parts:
        return None
    upper = "|".join(sorted(part.upper() for part in parts))
    return re.compile(rf"{upper}|(?:{'|'.join(sorted(parts))})[a-z]{{0,12}}\d")
