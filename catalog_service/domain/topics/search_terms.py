"""What a caller searches for: words, phrases in quotes, exclusions with a minus, and OR.

It is read here, and Postgres gets nothing but words, quotes, minus and OR, whatever was written.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from catalog_service.domain.errors import BadArgument
from catalog_service.domain.topics.words import words_of

MAX_LENGTH: Final = 200
MAX_WORDS: Final = 40
_FIELD: Final = "about"
_OR: Final = "or"
_QUOTES: Final = str.maketrans(dict.fromkeys("„“”«»「」『』＂", '"'))
_MINUS: Final = str.maketrans(dict.fromkeys("−－", "-"))
_PART: Final = re.compile(r'(-?)(?:"([^"]*)(?:"|$)|([^\s"]+))')


@dataclass(frozen=True, slots=True)
class Term:
    """Words that follow each other in a text; or, if `is_excluded`, must not."""

    words: tuple[str, ...]
    is_excluded: bool = False


Alternatives = Sequence[Sequence[Term]]
"""Terms of which all must hold, in groups of which one must."""


def read(text: str) -> Alternatives:
    """Return what is searched for.

    Raises:
        BadArgument: There is nothing to find, or too much.
    """
    stripped = text.strip()
    if len(stripped) > MAX_LENGTH:
        raise BadArgument(_FIELD, f"`about` is longer than {MAX_LENGTH} characters.")
    found = _groups(stripped.translate(_QUOTES).translate(_MINUS))
    if not found:
        raise BadArgument(_FIELD, "`about` needs at least one letter or digit.")
    if any(all(term.is_excluded for term in group) for group in found):
        raise BadArgument(
            _FIELD,
            "`about` only excludes: name a word that is to be there too, on each side of OR.",
        )
    if sum(len(term.words) for group in found for term in group) > MAX_WORDS:
        raise BadArgument(
            _FIELD,
            f"`about` has more than {MAX_WORDS} words; of Chinese, Japanese and Korean each character counts about twice.",
        )
    return found


def _groups(text: str) -> Alternatives:
    groups: list[list[Term]] = [[]]
    for part in _parts(text):
        if part is None:
            groups.append([])
        else:
            groups[-1].append(part)
    return [group for group in groups if group]


def _parts(text: str) -> Iterator[Term | None]:
    """Yield the terms of a text in order; None for an OR."""
    for minus, phrase, word in _PART.findall(text):
        if not minus and word.lower() == _OR:
            yield None
            continue
        words = tuple(words_of(phrase or word))
        if words:
            yield Term(words, bool(minus))


def written(alternatives: Alternatives) -> str:
    """Return the terms in the form of Postgres' `websearch_to_tsquery`."""
    return f" {_OR} ".join(" ".join(map(_term, group)) for group in alternatives)


def excluded(alternatives: Alternatives) -> list[str]:
    """Return what is excluded, each term in that form without its minus."""
    return [_phrase(term) for group in alternatives for term in group if term.is_excluded]


def _term(term: Term) -> str:
    return f"-{_phrase(term)}" if term.is_excluded else _phrase(term)


def _phrase(term: Term) -> str:
    return f'"{" ".join(term.words)}"'
