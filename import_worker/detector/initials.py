"""The name that a short label abbreviates: by its initials, or by its consonants."""

import re
from collections.abc import Iterator
from typing import Final

from import_worker.detector.brand_names import is_generic, read_name
from import_worker.detector.folding import name_key
from import_worker.detector.hosts import CAMPAIGN_PREFIXES
from import_worker.detector.phrases.label_words import LEADING_VERBS, NO_NAMES

_LONGEST: Final = 8
_FEWEST_INITIALS: Final = 2
_FEWEST_CONSONANTS: Final = 3
_LONGEST_CUT: Final = 5
_WORD_START: Final = re.compile(r"(?<![^\s\"'(:\-])[A-ZÀ-Þ0-9]")
_INNER: Final = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])")
_VOWELS: Final = str.maketrans("", "", "aeiouy")
_NUMBER_BEHIND: Final = re.compile(r"(?<=\w)(?: [-+]?\d[\w%.,]*)+$")
_MAX_STARTS: Final = 24


def shortened(label: str, folded: str, start: int, end: int, *, inner: bool = False) -> str | None:
    """Return the name in a stretch of a text that a short label abbreviates, the nearest to its end.

    With `inner` the capitals inside of a word count as initials: "jb" of "JetBrains".
    """
    if len(label) > _LONGEST:
        return None
    keys = _keys(label.lower())
    for name in _names(folded, start, end):
        if _abbreviates(keys, name) or (inner and keys & _initials(_INNER.split(name))):
            return name
    return None


def _keys(label: str) -> set[str]:
    """Return a label with and without the word that a campaign's begins with."""
    rest = {
        label[len(prefix) :]
        for prefix in CAMPAIGN_PREFIXES
        if label.startswith(prefix) and len(label) - len(prefix) >= _FEWEST_INITIALS
    }
    return {name_key(key) for key in (label, *rest)} - {""}


def _names(folded: str, start: int, end: int) -> Iterator[str]:
    """Yield the capitalised names of a stretch from its end backwards, without verbs before them."""
    starts = [match.start() for match in _WORD_START.finditer(folded, start, end)]
    for at in reversed(starts[-_MAX_STARTS:]):
        span = read_name(folded, at, end)
        name = _NUMBER_BEHIND.sub("", folded[span[0] : span[1]]) if span else ""
        first = name.partition(" ")[0].lower()
        if name and first not in LEADING_VERBS and first not in NO_NAMES and not is_generic(name):
            yield name


def _abbreviates(keys: set[str], name: str) -> bool:
    words = [word for word in re.split(r"[\s\-]+", name) if word]
    if len(words) >= _FEWEST_INITIALS:
        return bool(keys & _initials(words))
    key = name_key(name)
    bare = key[:1] + key[1:].translate(_VOWELS)
    if bare != key and len(bare) >= _FEWEST_CONSONANTS and bare in keys:
        return True
    return any(_is_cut(short, key) for short in keys)


def _is_cut(short: str, key: str) -> bool:
    """Return whether a few letters are a name's first ones, or its first with some of its consonants: "zel" or "zlv" of "Zelvora"."""
    if not _FEWEST_CONSONANTS <= len(short) <= _LONGEST_CUT or short[0] != key[0] or short == key:
        return False
    if key.startswith(short):
        return len(key) <= len(short) * 2
    letters = iter(key)
    return short[1:].translate(_VOWELS) == short[1:] and all(letter in letters for letter in short)


def _initials(words: list[str]) -> set[str]:
    """Return the first letters of words, with a sign for "and" written out or left out."""
    first = [word[0].lower() for word in words if word[0].isalnum()]
    if len(first) < _FEWEST_INITIALS:
        return set()
    joined = "".join({"&": "and", "+": "and"}.get(word, word[0].lower()) for word in words)
    return {"".join(first), joined}
