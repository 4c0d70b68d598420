"""Names that a person may have meant by a text that names nothing.

A suggestion has the text as whole words or at the beginning of a word, or is spelled nearly as it. A name that has the text
inside of a longer word, as "Evelinushka" has "Linus", is none.
"""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate
from typing import Final, TypeVar

from catalog_service.domain.name_keys import is_in_key, plain_digits
from catalog_service.domain.topics.words import SEPARATORS, UNSPACED

MAX_SUGGESTIONS: Final = 3

_LAST_WITH_ACCENTS: Final = "\u052f"
"""The last letter of Latin, Greek and Cyrillic, once accents are apart from them: marks of other scripts are vowels."""

_TYPING_ERROR: Final = 1
"""Letters that a name may have more than a text inside of it to be that text with a typing error: "Nike" for "ike"."""

_SHORT: Final = 7
"""Letters of a text that has some in common with many names by chance: "Linus" with Lineup."""

_ALIKE: Final = 0.75
"""The share of letters in common, in their order, from which a name is near a short text: "nkie" and Nike have 0.75."""

_WHOLE_WORDS: Final = 0
_BEGINNING: Final = 1

C = TypeVar("C")


def suggested(
    text: str, parts: Sequence[C], near: Sequence[C], names: Callable[[C], Sequence[str]]
) -> Sequence[C]:
    """Return at most three cards: those with whole words of the text, with words that begin so, then near spellings.

    Args:
        text: What was looked for.
        parts: Cards whose names may have the text anywhere, the best first.
        near: Cards with names that begin so or are spelled alike, the best first.
        names: The names of a card.
    """
    key = _read(text).key
    if not key:
        return ()
    ranked = [(min(_ranks(key, names(card)), default=None), card) for card in parts]
    ordered = [
        card for wanted in (_WHOLE_WORDS, _BEGINNING) for rank, card in ranked if rank == wanted
    ]
    ordered += [card for card in near if card not in ordered and _is_near(key, names(card))]
    return ordered[:MAX_SUGGESTIONS]


@dataclass(frozen=True, slots=True)
class _Name:
    """What names are compared by.

    Attributes:
        key: Its letters, digits and marks without case and accents.
        bounds: Where words begin and end in the key.
    """

    key: str
    bounds: frozenset[int]


def _ranks(key: str, names: Sequence[str]) -> Iterator[int]:
    """Yield how words of the names have the key, where they do."""
    for name in map(_read, names):
        start = name.key.find(key)
        while start >= 0:
            if start in name.bounds:
                yield _WHOLE_WORDS if start + len(key) in name.bounds else _BEGINNING
            start = name.key.find(key, start + 1)


def _is_near(key: str, names: Sequence[str]) -> bool:
    """Return whether a name is spelled nearly as the key, and not only has it inside of a much longer word."""
    if any(True for _ in _ranks(key, names)):
        return True
    own = [_read(name).key for name in names]
    if any(key in name and len(name) > len(key) + _TYPING_ERROR for name in own):
        return False
    return len(key) > _SHORT or any(
        SequenceMatcher(None, key, name).ratio() >= _ALIKE for name in own
    )


@lru_cache(maxsize=4_096)
def _read(name: str) -> _Name:
    words = _plain(_divided(name)).split()
    return _Name("".join(words), frozenset(accumulate(map(len, words), initial=0)))


def _divided(name: str) -> str:
    """Return a name with blanks between its words: "VPN" is one of NordVPN, and each character where a script has no blanks."""
    divided: list[str] = []
    before = ""
    for character in unicodedata.normalize("NFKC", plain_digits(name)):
        is_capital = character.isupper() and not before.isupper()
        if is_capital or UNSPACED.match(character):
            divided.append(" ")
        divided.append(character)
        before = character
    return "".join(divided).translate(SEPARATORS)


def _plain(text: str) -> str:
    """Return the letters, digits and blanks of a text without case and accents, with the marks that are vowels."""
    plain: list[str] = []
    takes_marks = False
    for character in unicodedata.normalize("NFKD", text):
        is_mark = unicodedata.category(character).startswith("M")
        if not is_mark:
            takes_marks = character > _LAST_WITH_ACCENTS and is_in_key(character)
        if character == " " or (takes_marks if is_mark else is_in_key(character)):
            plain.append(character)
    return "".join(plain).casefold()
