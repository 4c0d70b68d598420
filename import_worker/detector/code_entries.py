"""The name that the entry of a list gives its code: "Jackets: Acme, code SAM", "Acme jackets - SAM10 for 10% off"."""

import re
from typing import Final

from import_worker.detector.announced_codes import Code
from import_worker.detector.benefits import has_benefit
from import_worker.detector.brand_names import read_name
from import_worker.detector.document import Document
from import_worker.detector.links import lost_line_breaks
from import_worker.detector.name_parts import CASELESS
from import_worker.detector.phrases.code_entries import (
    BETWEEN,
    CASELESS_NAME,
    ENTRY_LABEL,
    JOINS,
    NO_SHOP_ROLE,
    PROSE,
    ROLE,
    SAID_BETWEEN,
)
from import_worker.detector.phrases.codes import NO_BRAND, PROMO_WORD
from import_worker.detector.phrases.entry_words import CODE_NAMES, OWN_THINGS
from import_worker.detector.phrases.exclusions import CREDITS, OWN, OWN_GOODS
from import_worker.detector.phrases.offers import BENEFIT, IMPERATIVE
from import_worker.detector.phrases.subject_names import NO_COMPANY, is_lead
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.detector.slots import vouched

_LONGEST: Final = 140
_LONGEST_VERB: Final = 8
_BEHIND: Final = 90
_SIGNS: Final = re.compile(r"[\s\W_]*")
_NAMED: Final = 0.95
_SURE: Final = 0.86
_UNSURE: Final = 0.7

Span = tuple[int, int]


def brand_of_entry(reading: Reading, code: Code) -> tuple[Found, float] | None:
    """Return the brand that the code's entry begins with, or names behind a role, and how sure it is."""
    document = reading.document
    head = _head(document, code)
    if head is None or not (code.text or code.said) or _is_of_no_shop(document, code, head):
        return None
    for at in _name_starts(document.folded, *head):
        span = _name_span(document.folded, at, head[1])
        if span and _leads_to_code(document.folded, span[1], code) and is_shop_name(reading, *span):
            name = document.folded[slice(*span)]
            found = from_name(name, span[0], reading.directory, reading.context)
            is_code = name.upper() == code.text.upper()
            if found and not is_code and not reading.is_platform(found):
                return vouched(reading, found), _weight(reading, code)
    return None


def _is_of_no_shop(document: Document, code: Code, head: Span) -> bool:
    return (
        _is_own(document, code, head[0]) or NO_SHOP_ROLE.match(document.lowered, *head) is not None
    )


def stands_in_entry(reading: Reading, code: Code) -> bool:
    """Return whether the code's line says itself what the code is for: no other line's brand is meant."""
    document = reading.document
    head = _head(document, code)
    if head is None or has_benefit(document.lowered, *head):
        return False
    text = document.lowered[slice(*head)]
    label = ENTRY_LABEL.fullmatch(text)
    if label is None or IMPERATIVE.match(text) or PROMO_WORD.search(text):
        return False
    return not any(word.strip(".,:;!()") in NO_BRAND for word in text.split())


def _weight(reading: Reading, code: Code) -> float:
    """Return how sure the name of an entry is: a code of the creator's or what it gives makes it so."""
    lowered = reading.document.lowered
    last = lowered.find("\n", code.end)
    end = min(last if last >= 0 else len(lowered), code.end + _BEHIND)
    start = lowered.rfind("\n", 0, code.start) + 1
    if reading.context.is_named_in(code.text):
        return _NAMED
    return _SURE if code.said or has_benefit(lowered, start, end) else _UNSURE


def _head(document: Document, code: Code) -> Span | None:
    """Return what stands before a code on its line; None for a long one, a link in it, or a text without its line breaks."""
    first = document.folded.rfind("\n", 0, code.start) + 1
    if code.start - first > _LONGEST or lost_line_breaks(document.folded):
        return None
    signs = _SIGNS.match(document.folded, first, code.start)
    at = signs.end() if signs else first
    return (at, code.start) if at < code.start else None


def _is_own(document: Document, code: Code, first: int) -> bool:
    """Return whether an entry is one of the creator's own things or of credits."""
    last = document.lowered.find("\n", code.end)
    end = min(last if last >= 0 else len(document.lowered), code.end + _BEHIND)
    if OWN_THINGS.search(document.lowered, first, code.start):
        return True
    return any(sign.search(document.lowered, first, end) for sign in (OWN, OWN_GOODS, CREDITS))


def _name_starts(folded: str, start: int, end: int) -> list[int]:
    """Return where the name may begin: behind what it is to the creator, or where the entry does."""
    role = ROLE.match(folded, start, end)
    return [role.end(), start] if role and role.end() < end else [start]


def _name_span(folded: str, at: int, end: int) -> Span | None:
    if at < end and CASELESS.match(folded[at]):
        match = CASELESS_NAME.match(folded, at, end)
        return match.span() if match else None
    span = read_name(folded, at, end)
    joined = JOINS.match(folded, span[1], end) if span else None
    further = read_name(folded, joined.end(), end) if joined else None
    return (span[0], further[1]) if span and further else span


def _leads_to_code(folded: str, at: int, code: Code) -> bool:
    """Return whether no more than a product, a sign and words for a code stand between a name and its code."""
    between = SAID_BETWEEN if code.said else BETWEEN
    return between.fullmatch(folded, at, code.start) is not None


def is_shop_name(reading: Reading, start: int, end: int) -> bool:
    """Return whether words may name a shop: no person, call to act, benefit or word for codes."""
    folded, lowered = reading.document.folded, reading.document.lowered
    name = lowered[start:end]
    if folded[start].isdigit() or NO_COMPANY.match(folded, start, end):
        return False
    if CASELESS.match(name) and PROSE.search(name):
        return False
    if any(word in NO_BRAND or word in CODE_NAMES for word in name.split()):
        return False
    return not (is_lead(name) or is_call(name) or BENEFIT.search(name) or PROMO_WORD.search(name))


def is_call(name: str) -> bool:
    """Return whether words begin with a verb that calls to act; one long word is a name that only begins like it."""
    return IMPERATIVE.match(name) is not None and (" " in name or len(name) <= _LONGEST_VERB)
