"""The name of a brand as the text writes it, when nothing but its domain is known."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from import_worker.detector.brand_names import bare_label, is_generic, trim_company
from import_worker.detector.document import Document
from import_worker.detector.folding import name_key
from import_worker.detector.resolving import Found
from import_worker.detector.transliteration import sounds_like
from import_worker.domain.keys import slug_of

_WORD: Final = re.compile(r"[^\W_]+")
_NO_LETTERS: Final = re.compile(r"[\W_]+")
_SHORTEST: Final = 4
_MAX_WORDS: Final = 1_500
_MAX_CHARACTERS: Final = 40

_NO_WORDS: Final = frozenset({"info", "mobi", "name", "online", "site", "shop", "store"})
"""Endings of domains that are a word, and no part of a name."""
_NEAR: Final = 160
_MAX_OF_SOUND: Final = 3
_OTHER_SCRIPT: Final = re.compile(r"[\u0370-\u052f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_QUOTED: Final = re.compile(r"\"([^\"\n]{2,40})\"")
_UNBROKEN: Final = re.compile(r"[^\W_]+")
_PARTED: Final = re.compile(r"[^\w &+\-]")

DOMAIN_SUFFIXES: Final = (
    "official", "online", "store", "shop", "gaming", "games", "app", "apps", "hair", "golf", "tour", "club", "wear", "clothing",
    "cosmetics", "beauty", "nutrition", "skincare", "watches", "usa", "3d", "hq", "co", "eu", "uk", "de", "fr", "br", "world", "global",
    "audio", "tech", "vpn", "hosting", "coffee", "foods", "drinks", "shoes", "eyewear", "jewelry", "company", "brand", "labs",
)  # fmt: skip
"""Words that brands put behind their name in a domain."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The letters of a text's words run together, with the place of each word in them and in the text."""

    letters: str
    offsets: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


def as_written(found: Found, document: Document) -> Found:
    """Return a brand that is named by its domain or by a network's subdomain alone with its name as the text writes it."""
    label = _label(found)
    if label is None:
        return found
    if name_key(found.name) not in {name_key(label), bare_label(label)}:
        return _with_first_word(found, label, document.folded)
    links = tuple((link.start, link.end) for link in document.links)
    letters = _letters(document.folded, links)
    for key in [*_with_ending(found.domain), *_keys(label)]:
        # Few keys stand in the text at all, and to take its words apart takes long.
        if key not in letters:
            continue
        name = _spelled(key, _read(document.folded, links), document.folded)
        if name and not is_generic(name):
            return replace(found, name=name, slug=slug_of(name))
    name = _of_sound(document.folded, found.start, label)
    return replace(found, name=name, slug=slug_of(name)) if name else found


def _with_first_word(found: Found, label: str, folded: str) -> Found:
    """Return a name with the word before it that its site begins with: the article of "A House of Cars" at ahouseofcars.com."""
    first = name_key(label).removesuffix(name_key(found.name))
    start = found.start - len(first) - 1
    if start < 0 or not first or folded[start : found.start].lower() != f"{first} ":
        return found
    if not folded[start].isupper() or (start and folded[start - 1].isalnum()):
        return found
    name = f"{folded[start : start + len(first)]} {found.name}"
    return replace(found, name=name, slug=slug_of(name), start=start)


def _of_sound(folded: str, at: int, label: str) -> str | None:
    """Return the name in another script before a link that sounds as its label does, the nearest one."""
    before = folded[max(at - _NEAR, 0) : at]
    if before.isascii() or not _OTHER_SCRIPT.search(before):
        return None
    quoted = [match.group(1) for match in _QUOTED.finditer(before)]
    for name in reversed(quoted):
        if sounds_like(name, label):
            return name
    names = [name for name in _in_other_script(before) if _is_one(name)]
    for whole in (True, False):
        for name in names:
            if sounds_like(name, label, whole=whole):
                return trim_company(name)
    return None


def _in_other_script(text: str) -> Iterator[str]:
    """Yield the words of a text in another script from its end backwards, then two and three of them together."""
    words = list(_UNBROKEN.finditer(text))
    for count in range(1, _MAX_OF_SOUND + 1):
        for last in range(len(words), count - 1, -1):
            name = text[words[last - count].start() : words[last - 1].end()]
            if _OTHER_SCRIPT.match(name):
                yield name


def _is_one(name: str) -> bool:
    return len(name) <= _MAX_CHARACTERS and not _PARTED.search(name) and not name[0].islower()


def _label(found: Found) -> str | None:
    """Return what the address of an unknown brand calls it; None where no address names it."""
    if found.known:
        return None
    if found.domain is not None:
        return found.domain.partition(".")[0]
    return found.name if found.linked and " " not in found.name else None


def _with_ending(domain: str | None) -> list[str]:
    """Return the letters of a whole domain whose ending may be the last word of the name: "acme.style"."""
    label, _, ending = (domain or "").partition(".")
    is_word = len(ending) >= _SHORTEST and ending.isalpha() and ending not in _NO_WORDS
    return [name_key(label + ending)] if is_word else []


def _keys(label: str) -> list[str]:
    """Return what the name may be spelled by, the longest first."""
    whole, bare = name_key(label), bare_label(label)
    short = [
        key.removesuffix(suffix)
        for key in (whole, bare)
        for suffix in DOMAIN_SUFFIXES
        if key.endswith(suffix)
    ]
    return [key for key in dict.fromkeys([whole, bare, *short]) if len(key) >= _SHORTEST]


def _spelled(key: str, words: _Words, folded: str) -> str | None:
    """Return the whole words of a text that spell a key and begin with a capital."""
    at = words.letters.find(key)
    while at >= 0:
        first = bisect_right(words.offsets, at) - 1
        last = bisect_right(words.offsets, at + len(key)) - 1
        if words.offsets[first] == at and words.offsets[last] == at + len(key):
            start, end = words.spans[first][0], words.spans[last - 1][1]
            name = folded[start:end]
            if not name[0].islower() and end - start <= _MAX_CHARACTERS and "\n" not in name:
                return name
        at = words.letters.find(key, at + 1)
    return None


@lru_cache(maxsize=4)
def _letters(folded: str, links: tuple[tuple[int, int], ...]) -> str:
    """Return the letters and digits of a text outside of its links, run together as in `_Words`."""
    starts = (0, *(end for _, end in links))
    ends = (*(start for start, _ in links), len(folded))
    outside = "".join(folded[start:end] for start, end in zip(starts, ends, strict=True))
    plain = outside.lower() if outside.isascii() else _decomposed(outside)
    return _NO_LETTERS.sub("", plain)


@lru_cache(maxsize=4)
def _read(folded: str, links: tuple[tuple[int, int], ...]) -> _Words:
    starts = [start for start, _ in links]
    offsets: list[int] = []
    spans: list[tuple[int, int]] = []
    letters: list[str] = []
    length = 0
    for match in _WORD.finditer(folded):
        index = bisect_right(starts, match.start()) - 1
        if index >= 0 and match.start() < links[index][1]:
            continue
        key = _plain(match.group())
        offsets.append(length)
        spans.append(match.span())
        letters.append(key)
        length += len(key)
        if len(spans) >= _MAX_WORDS:
            break
    return _Words("".join(letters), (*offsets, length), tuple(spans))


@lru_cache(maxsize=16_384)
def _plain(word: str) -> str:
    """Return a word in lower case without accents."""
    if word.isascii():
        return word.lower()
    return "".join(c for c in _decomposed(word) if not unicodedata.combining(c))


def _decomposed(text: str) -> str:
    """Return a text in lower case with accents as characters of their own."""
    return unicodedata.normalize("NFD", text.casefold())
