"""Names in the label of an item: where they begin, and what of them is the brand's."""

import re
from functools import lru_cache
from typing import Final

from import_worker.detector.brand_names import bare_label, read_name
from import_worker.detector.folding import name_key
from import_worker.detector.items import Item
from import_worker.detector.longer_names import is_of_another
from import_worker.detector.phrases.label_words import NO_NAMES, SECTION_STARTS, SOLD
from import_worker.detector.phrases.section_words import SECTION_KEYS
from import_worker.detector.reading import Reading

_HASHTAG: Final = re.compile(r"#(\w{3,30})")

SHORTEST_KEY: Final = 3
"""Letters and digits that a name has at least to be told from chance."""

_MAX_NAMES: Final = 12
_STARTS: Final = re.compile(
    r"(?:(?<=[\s\"'(@#:\-•►➜➤⇨→*+=|✅✔✗♦◆🔥,/]))(?=[^\W\d_a-zа-яё]|[\dA-Za-z]+[A-Z])"
)
_MODEL: Final = re.compile(r"\d|[A-Z]{1,3}\d")
"""How the number of a model begins."""

_LAST_LATIN: Final = "\u0250"


def name_spans(reading: Reading, item: Item) -> tuple[tuple[int, int], ...]:
    """Return start and end of the capitalised names of a label, from the link backwards."""
    return _spans(reading.document.folded, item.start, item.link.start)


def spans_between(reading: Reading, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return start and end of the capitalised names of a stretch, from its end backwards."""
    return _spans(reading.document.folded, start, end) if start < end else ()


@lru_cache(maxsize=256)
def _spans(folded: str, first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Return what `name_spans` does; the readers of one item ask for it several times."""
    found: list[tuple[int, int]] = []
    starts = (match.start() for match in _STARTS.finditer(folded, first, last))
    at = first
    for start in (first, *starts):
        span = read_name(folded, start, last) if start >= at else None
        if span:
            at = span[1]
            found.append(span)
    return tuple(reversed(found[-_MAX_NAMES:]))


def trim_tail(name: str) -> str:
    """Return a name without the words for what is sold, such as "App" or "Trial", at its end."""
    words = name.split(" ")
    while len(words) > 1 and words[-1].lower().strip(".,") in SOLD:
        words.pop()
    return " ".join(words)


def spelled_first(name: str, label: str) -> str:
    """Return the first words of a name that a domain's label spells, else the whole name."""
    words = name.split(" ")
    for count in range(1, len(words)):
        part = " ".join(words[:count]).removesuffix("'s")
        if name_key(part) in {name_key(label), bare_label(label)}:
            return part
    return name


def attested(reading: Reading, name: str) -> str:
    """Return the first words of a name that a hashtag spells or that the directory has, without a model's number."""
    words = name.split(" ")
    while len(words) > 1 and _MODEL.match(words[-1]):
        words.pop()
    tags = _tags(reading.document.folded)
    for count in range(len(words) - 1, 0, -1):
        part = " ".join(words[:count]).removesuffix("'s")
        brand = reading.directory.named(part)
        is_known = brand is not None and not is_of_another(brand, " ".join(words[count:]))
        if len(part) > SHORTEST_KEY and (name_key(part) in tags or is_known):
            return part
    return " ".join(words)


@lru_cache(maxsize=8)
def _tags(folded: str) -> frozenset[str]:
    """Return the keys of a text's hashtags."""
    return frozenset(name_key(tag) for tag in _HASHTAG.findall(folded))


def is_no_name(name: str) -> bool:
    """Return whether a name begins with a word that no brand's does, such as a verb."""
    words = name.lower().split()
    return not words or "http" in words or words[0] in NO_NAMES


def is_section(name: str) -> bool:
    """Return whether a name is a section's, as "My Setup" or "Watch more", and no brand's."""
    words = [name_key(word) for word in name.split()]
    return (
        name_key(name) in SECTION_KEYS
        or all(word in SECTION_KEYS or word in NO_NAMES for word in words)
        or words[0] in SECTION_STARTS
    )


def is_latin(text: str) -> bool:
    """Return whether most letters of a text are Latin."""
    if text.isascii():
        return any(c.isalpha() for c in text)
    letters = [c for c in text if c.isalpha()]
    return sum(c < _LAST_LATIN for c in letters) * 2 > len(letters)
