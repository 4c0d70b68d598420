"""Names that a person may have meant by a text that names nothing.

A suggestion has the text as whole words or at the beginning of a word, or is spelled nearly as it. A name that has the text
inside of a longer word, as "Evelinushka" has "Linus", is none.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Final, TypeVar

from catalog_service.domain.name_keys import key_letters
from catalog_service.domain.topics.words import UNSPACED

MAX_SUGGESTIONS: Final = 3

_RUN: Final = re.compile(r"[^\W_]+")
_TYPING_ERROR: Final = 1
"""Letters that a name may have more than a text inside of it to be that text with a typing error: "Nike" for "ike"."""

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
    key = _key(text)
    if not key:
        return near[:MAX_SUGGESTIONS]
    ranked = [(min(_ranks(key, names(card)), default=None), card) for card in parts]
    ordered = [
        card for wanted in (_WHOLE_WORDS, _BEGINNING) for rank, card in ranked if rank == wanted
    ]
    ordered += [card for card in near if card not in ordered and _is_near(key, names(card))]
    return ordered[:MAX_SUGGESTIONS]


def _ranks(key: str, names: Sequence[str]) -> Iterator[int]:
    """Yield how words of the names have the key, where they do."""
    for name in names:
        words = [_key(word) for word in _words(name)]
        for start in range(len(words)):
            if "".join(words[start:]).startswith(key):
                ends = accumulate(map(len, words[start:]))
                yield _WHOLE_WORDS if len(key) in ends else _BEGINNING


def _is_near(key: str, names: Sequence[str]) -> bool:
    """Return whether no name has the key inside of a much longer word alone."""
    if any(True for _ in _ranks(key, names)):
        return True
    return not any(key in own and len(own) > len(key) + _TYPING_ERROR for own in map(_key, names))


def _words(name: str) -> Iterator[str]:
    """Yield the words of a name: "VPN" is one of NordVPN, and each character where a script has no blanks."""
    for run in _RUN.findall(name):
        start = 0
        for position in range(1, len(run)):
            is_capital = run[position].isupper() and not run[position - 1].isupper()
            if is_capital or UNSPACED.match(run, position):
                yield run[start:position]
                start = position
        yield run[start:]


def _key(text: str) -> str:
    """Return the letters and digits of a text without case and accents."""
    letters = unicodedata.normalize("NFKD", key_letters(text))
    return "".join(filter(str.isalnum, letters)).casefold()
