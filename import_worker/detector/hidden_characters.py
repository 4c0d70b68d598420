"""Characters without a width inside words: a text is read without them, and its evidence stands where it stood."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

_CHARACTERS: Final = frozenset("\u200b\u2060\ufeff\u00ad")
_IN_WORD: Final = re.compile("(?<=[^\\W\\d_])[\u200b\u2060\ufeff\u00ad]{1,3}(?=[^\\W\\d_])")
_WORD: Final = 60
"""Characters before a hidden one that tell whether it stands in a link, which it may end."""


def without_hidden(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text without the hidden characters of its words, and the offsets in it that each stood before."""
    if _CHARACTERS.isdisjoint(text):
        return text, ()
    parts: list[str] = []
    dropped: list[int] = []
    start = 0
    for match in _IN_WORD.finditer(text):
        if _is_in_link(text, match.start()):
            continue
        parts.append(text[start : match.start()])
        start = match.end()
        dropped += [match.start() - len(dropped)] * len(match.group())
    return "".join([*parts, text[start:]]), tuple(dropped)


def _is_in_link(text: str, at: int) -> bool:
    return "/" in text[max(at - _WORD, 0) : at].rsplit(maxsplit=1)[-1]


def original_span(dropped: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """Return the start and end in the text as it was of a stretch that is not empty."""
    if not dropped or start >= end:
        return start, end
    return start + bisect_right(dropped, start), end + bisect_right(dropped, end - 1)
