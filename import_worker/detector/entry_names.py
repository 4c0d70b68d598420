"""The name in an entry of a list: before a dash, bracket or offer, behind a role, or behind a code."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from import_worker.detector.benefits import has_benefit
from import_worker.detector.brand_names import begins_figure, read_name, skip_leading
from import_worker.detector.folding import name_key
from import_worker.detector.name_parts import CASELESS, bears_name
from import_worker.detector.phrases.calls_to_save import CALLS_TO_SAVE
from import_worker.detector.phrases.codes import NO_BRAND
from import_worker.detector.phrases.entry_words import (
    AFTER_CODE,
    CODE_NAMES,
    ENDS_NAME,
    NO_COMPANY,
    OF_ANOTHER_KIND,
    PROSE_END,
    STOPS_NAME,
)
from import_worker.detector.phrases.exclusions import CHARITY, CONTACT, OWN
from import_worker.detector.phrases.label_words import NO_NAMES
from import_worker.detector.phrases.section_words import SECTION_KEYS
from import_worker.detector.phrases.subject_names import is_lead
from import_worker.detector.reading import Reading

EntryForm = Literal["line", "role", "offer", "tail"]
"""A bare name, a role with its name, a name with an offer, or a name with other words behind it."""

_OTHERS: Final = (OWN, CONTACT, CHARITY, OF_ANOTHER_KIND)
"""Entries of the creator's own, of charities and grants, and lines that ask for sponsors."""

_LEADING: Final = re.compile(r"(?:[^\w@\"'(]|_|\d{1,2}[.)]\s)*[\"'(\[]?")
_CODE: Final = re.compile(r"[A-Za-z0-9][\w\-&]{2,24}")
_LOWER_START: Final = re.compile(r"[a-zа-яёà-ÿ]")
_ROLE: Final = re.compile(r"[^\W\d_][^\n:►▶→➜➤»]{1,40}?\s?[:►▶→➜➤»]+\s*")
_LETTERS: Final = re.compile(r"[^\W\d_]\w|\w[^\W\d_]")
_PEOPLE_AT: Final = re.compile(
    r"(?:[^\W\d_A-ZÀ-ÞА-Я]+ ){1,5}(?:at|from|over at|of|chez|bei|von|van|de|da|do|di|u|od|из|у) (?=[A-ZÀ-ÞА-Я0-9])"
)
"""Words for a company's people, before its name."""

_CODE_BEHIND: Final = 24
_MAX_WORDS: Final = 6
_MAX_CHARACTERS: Final = 40
_FEW: Final = 3
_SHORTEST: Final = 2
_UNSPACED_LENGTH: Final = 18
_INSIDE: Final = frozenset(
    """
    of и і й de du des del della di da do dos das the and und et y e i &
    + x de la le los las el op van von der den ten ter zu en 's
    """.split()
)
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class EntryName:
    """A name from `start` up to `end`, with the form of its entry and the code beside it.

    It is parted when a sign or the words of an offer end it, or the entry does.
    """

    start: int
    end: int
    form: EntryForm
    code: str | None = None
    is_parted: bool = True


def name_of_entry(reading: Reading, start: int, end: int) -> EntryName | None:
    """Return the name of an entry that is no more than a name with what is said of it; None for odd ones."""
    lowered = reading.document.lowered
    if any(pattern.search(lowered, start, end) for pattern in _OTHERS):
        return None
    start = _skipped(reading, start, end)
    code = _code_first(reading, start, end)
    at, is_role = start, False
    if code:
        after = AFTER_CODE.match(reading.document.folded, start + len(code), end)
        at = after.end() if after else start
    else:
        at, is_role = _behind_role(reading, start, end)
    span = _name_at(reading, at, end)
    if span is None:
        return None
    code = code or code_in(reading, span[1], end)
    folded = reading.document.folded
    is_parted = (
        any(sign.match(folded, span[1], end) for sign in (ENDS_NAME, STOPS_NAME)) or at > start
    )
    return EntryName(*span, _form(reading, span[1], end, code, is_role=is_role), code, is_parted)


def _form(reading: Reading, at: int, end: int, code: str | None, *, is_role: bool) -> EntryForm:
    if code or has_benefit(reading.document.lowered, at, end):
        return "offer"
    if is_role:
        return "role"
    return "tail" if any(c.isalnum() for c in reading.document.folded[at:end]) else "line"


def _skipped(reading: Reading, start: int, end: int) -> int:
    match = _LEADING.match(reading.document.folded, start, end)
    return match.end() if match else start


def _code_first(reading: Reading, start: int, end: int) -> str | None:
    """Return the code that an entry begins with, before the name that it is for."""
    match = _CODE.match(reading.document.folded, start, end)
    if match is None or not is_code_like(reading, match.group()):
        return None
    after = AFTER_CODE.match(reading.document.folded, match.end(), end)
    return match.group() if after else None


def code_in(reading: Reading, start: int, end: int) -> str | None:
    """Return the first word of a stretch that reads as a code of the creator's."""
    for match in _CODE.finditer(reading.document.folded, start, end):
        is_linked = reading.document.is_in_link(match.start())
        is_handle = reading.document.folded[match.start() - 1] in "@#"
        if not is_linked and not is_handle and is_code_like(reading, match.group()):
            return match.group()
    return None


def is_code_like(reading: Reading, word: str) -> bool:
    """Return whether a word is written as a creator's code: in capitals with their name, or with digits at its end."""
    if not any(c.isalpha() for c in word) or not bears_name(reading.context.name, word):
        return False
    return (word.isupper() and len(word) > _SHORTEST) or word[-1].isdigit()


def _behind_role(reading: Reading, start: int, end: int) -> tuple[int, bool]:
    """Return where the name begins behind what it is to the creator, as in "Chairs: Acme", and whether there is such a role."""
    folded = reading.document.folded
    role = _ROLE.match(folded, start, end)
    if role is None:
        return start, False
    head = folded[start : role.end()].rstrip(" :►▶→➜➤»")
    if reading.directory.named(head) or ENDS_NAME.search(head):
        return start, False
    at = skip_leading(folded, role.end(), end)
    word = _CODE.match(folded, at, end)
    if at >= end or (word and is_code_like(reading, word.group())):
        return start, False
    is_name = folded[at].isupper() or CASELESS.match(folded[at]) is not None
    is_stopped = STOPS_NAME.match(folded, at, end) is not None
    return (at, True) if is_name and not is_stopped else (start, False)


def _name_at(reading: Reading, at: int, end: int) -> tuple[int, int] | None:
    """Return the name that begins at a place of an entry: its words up to a sign, or up to what goes on about it."""
    folded = reading.document.folded
    at = _skipped(reading, at, end)
    last = _end_of_name(reading, at, end)
    if last - at < _SHORTEST or "@" in (folded[at - 1 : at], folded[at], folded[last : last + 1]):
        return None
    name = folded[at:last]
    if any(word.lower() in CODE_NAMES for word in name.split()[:1]):
        return None
    if CASELESS.match(name):
        return (at, last) if _is_caseless_name(name) else None
    if _is_name(name):
        return at, last
    if name[0].islower():
        people = _PEOPLE_AT.match(folded, at, last)
        at = people.end() if people else skip_leading(folded, at, last)
    is_coded = code_in(reading, last, min(last + _CODE_BEHIND, end)) is not None
    return _name_in(folded, at, last, is_coded=is_coded)


def _end_of_name(reading: Reading, at: int, end: int) -> int:
    """Return where the words end that may be a name: before a sign, words that go on about it, or a code."""
    folded = reading.document.folded
    sign = ENDS_NAME.search(folded, min(at + 1, end), end)
    last = sign.start() if sign else end
    stop = STOPS_NAME.search(folded, at, last)
    last = stop.start() if stop and stop.start() > at else last
    last = _before_code(reading, at, last)
    if begins_figure(folded, last, end):
        last = at + len(folded[at:last].rstrip("0123456789"))
    return at + len(folded[at:last].rstrip(" .,-&+"))


def _name_in(folded: str, at: int, last: int, *, is_coded: bool) -> tuple[int, int] | None:
    """Return the name that words begin with, when it is all of them, has a code behind it, or is more than one word."""
    span = read_name(folded, at, last)
    if span is None or not _is_name(folded[span[0] : span[1]]):
        return None
    name = folded[span[0] : span[1]]
    is_sure = is_coded or span[1] == last or " " in name or any(c.isupper() for c in name[1:])
    return span if is_sure else None


def _before_code(reading: Reading, at: int, last: int) -> int:
    """Return where the code begins that runs on from a name without a sign between."""
    words = _CODE.finditer(reading.document.folded, at, last)
    codes = (word.start() for word in words if is_code_like(reading, word.group()))
    return next((start for start in codes if start > at), last)


def _is_caseless_name(name: str) -> bool:
    if name_key(name) in SECTION_KEYS:
        return False
    length = _UNSPACED_LENGTH if _UNSPACED.match(name) else _MAX_CHARACTERS
    return (
        len(name) <= length and len(name.split()) <= _MAX_WORDS - 2 and not PROSE_END.search(name)
    )


def _names_no_company(name: str, words: list[str]) -> bool:
    """Return whether words are of another sort than names: a heading, a call, signs alone."""
    first = words[0].lower()
    return (
        first in NO_NAMES
        or first in CALLS_TO_SAVE
        or first.strip(".,!") in NO_COMPANY
        or is_lead(name)
        or STOPS_NAME.match(name) is not None
        or name_key(name) in SECTION_KEYS
        or _LETTERS.search(name) is None
        or not any(map(name_key, words))
    )


def _is_small(word: str) -> bool:
    return word[0].islower() and not any(c.isupper() or c.isdigit() for c in word)


def _is_name(name: str) -> bool:
    """Return whether words are written as a name: few, with capitals, apart from small words between."""
    words = name.split()
    is_short = 0 < len(words) <= _MAX_WORDS and len(name) <= _MAX_CHARACTERS
    if not is_short or _names_no_company(name, words):
        return False
    small = [word for word in words if _is_small(word)]
    if any(word.lower() not in _INSIDE for word in small):
        return len(words) == 1 and len(name) > _FEW and name.isascii() and name not in NO_BRAND
    return words[0] not in small and words[-1] not in small
