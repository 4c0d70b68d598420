"""Marks by which a creator tells affiliate links from others: a star, or a word in brackets, beside the link."""

import re
from functools import lru_cache
from typing import Final

from import_worker.detector.items import Item
from import_worker.detector.phrases.benefit_words import MARKS
from import_worker.detector.phrases.offers import AFFILIATE_NOTE
from import_worker.detector.prefilter import matches

_STARS: Final = "*★✱⭐"
_SIGNS: Final = r"[ \t:\-–—→➜➤➡>|]*"
_BRACKETED: Final = rf"[(\[]\s?(?:[{_STARS}]|a|b|{MARKS})\s?[)\]]"
_BEHIND: Final = re.compile(
    rf"[ \t]?[{_STARS}]{{1,2}}(?![{_STARS}])|\s?{_BRACKETED}", re.IGNORECASE
)
_BEFORE: Final = re.compile(
    rf"(?:(?<![{_STARS}])[{_STARS}]{{1,2}}|{_BRACKETED}){_SIGNS}$", re.IGNORECASE
)
_FIRST: Final = re.compile(r"\s*(?:\*{1,2}(?=[^\W_])|(?P<drawn>[★✱⭐])\s?(?=[^\W_]))")
"""A star that begins an entry; a plain one with a blank behind it is a bullet."""

_EXPLAINED: Final = re.compile(rf"[★✱⭐][^\n★✱⭐]{{0,50}}?(?:{AFFILIATE_NOTE.pattern})")
_REACH: Final = 26
"""Characters behind a link in which its mark stands."""


def is_marked(item: Item, lowered: str) -> bool:
    """Return whether a mark of affiliate links stands behind an item's link, right before it, or at its beginning."""
    label = lowered[item.start : item.link.start]
    return (
        _BEHIND.match(lowered, item.link.end, item.link.end + _REACH) is not None
        or _BEFORE.search(label) is not None
        or _begins_marked(label, lowered)
    )


def _begins_marked(label: str, lowered: str) -> bool:
    first = _FIRST.match(label)
    if first is None:
        return False
    # A drawn star is as often a bullet: a note has to say what it means.
    return _is_explained(lowered) if first["drawn"] else _has_note(lowered)


def _has_note(lowered: str) -> bool:
    return matches(AFFILIATE_NOTE, lowered, 0, len(lowered))


@lru_cache(maxsize=4)
def _is_explained(lowered: str) -> bool:
    return _EXPLAINED.search(lowered) is not None
