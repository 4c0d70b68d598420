"""Words of a text, in the one form in which texts are indexed and searched.

Postgres' own parser sees addresses, tags and paths in texts; of what comes from here it sees letters, digits and blanks alone.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_MAX_WORD: Final = 60
_WORD_CATEGORIES: Final = "LMN"
_UNSPACED: Final = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
_RUN: Final = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
"""Runs of Chinese, Japanese and Korean characters, and of others."""

UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
"""A character of a script without blanks between words."""


class _Separators(dict[int, int]):
    """A blank for each character that is of no word; decided once a character."""

    def __missing__(self, character: int) -> int:
        is_of_word = unicodedata.category(chr(character))[0] in _WORD_CATEGORIES
        found = self[character] = character if is_of_word else 0x20
        return found


SEPARATORS: Final = _Separators()
"""What `str.translate` takes to leave letters, marks, digits and blanks of a text."""


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case and in their order.

    Chinese, Japanese and Korean have no blanks between words, or endings that cling to them: each character is a word there, and so is
    each pair of neighbours behind its first. So a part of such a run is a phrase of the run.
    """
    folded = unicodedata.normalize("NFKC", text).lower().translate(SEPARATORS)
    return [word for run in _RUN.findall(folded) for word in _words_of_run(run)]


def _words_of_run(run: str) -> Iterator[str]:
    if not UNSPACED.match(run):
        yield from (word[:_MAX_WORD] for word in run.split())
        return
    for position, character in enumerate(run):
        yield character
        if position + 1 < len(run):
            yield run[position : position + 2]
