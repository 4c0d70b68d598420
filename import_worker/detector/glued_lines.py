"""Lines that the source of a text has glued together, parted again where words, links and names show it.

The breaks that are found are line separators (U+2028): a word begins behind them, and they are no line breaks, which a text
without its own has too few of for what rules read from lines.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from import_worker.detector.directory import Directory, NameMatch
from import_worker.detector.folding import lower
from import_worker.detector.links import Link, find_links, lost_line_breaks
from import_worker.detector.phrases.line_starts import glued_words

SEPARATOR: Final = "\u2028\n"

_NAMED_EMOJI: Final = re.compile(r":[a-z_]{3,25}:")
_BEHIND_SENTENCE: Final = re.compile(r"(?<=[\w)][.!?])(?=:[a-z_]{3,25}:|https?://)")
"""Where an emoji by its name, or a link, begins the line behind a sentence."""

_BULLETS: Final = "*>~"


def glued_lines(folded: str, directory: Directory) -> list[int]:
    """Return where lines begin that are glued to the one before, in order; none for a text that has its breaks."""
    if not lost_line_breaks(folded):
        return []
    links = find_links(folded)
    starts = [link.start for link in links]
    found = {link.end for link in links if _runs_on(folded, link.end)}
    names = tuple(directory.mentions(folded, lower(folded), is_glued=True))
    inside = {at for name in names for at in range(name.start + 1, name.end)}
    glued = {at for at in glued_words(folded) if at not in inside}
    glued.update(_beside(folded, names))
    glued.update(match.start() for match in _BEHIND_SENTENCE.finditer(folded))
    return sorted(found | {at for at in glued if not _is_inside(links, starts, at)})


def parted(text: str, starts: Sequence[int]) -> str:
    """Return a text with a separator before each of the lines."""
    cuts = [0, *starts, len(text)]
    return SEPARATOR.join(text[first:last] for first, last in pairwise(cuts))


def span_before(starts: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """Return the start and end of a stretch in the text as it was before it was parted."""
    width = len(SEPARATOR)
    at = [begin + number * width for number, begin in enumerate(starts)]
    return start - bisect_left(at, start) * width, end - bisect_left(at, end) * width


def _runs_on(folded: str, end: int) -> bool:
    """Return whether a word or the bullet of an entry follows a link without a blank."""
    after = folded[end : end + 2]
    is_bullet = len(after) > 1 and after[0] in _BULLETS and after[1].isalnum()
    return after[:1].isalpha() or is_bullet or _NAMED_EMOJI.match(folded, end) is not None


def _is_inside(links: Sequence[Link], starts: Sequence[int], at: int) -> bool:
    index = bisect_right(starts, at) - 1
    return index >= 0 and links[index].start < at < links[index].end


def _beside(folded: str, names: Sequence[NameMatch]) -> Iterator[int]:
    """Yield where a known name begins or ends that is glued to the word before or behind it."""
    for name in names:
        before = folded[name.start - 1 : name.start]
        if (before.islower() or before.isdigit()) and folded[name.start].isupper():
            yield name.start
        if folded[name.end : name.end + 1].isupper() and folded[name.end - 1].isalnum():
            yield name.end
