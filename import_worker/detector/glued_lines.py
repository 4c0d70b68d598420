"""Lines that the source of a text has glued together, parted again where words, links and names show it.

The breaks that are found begin with a line separator (U+2028), by which a text is known as one without breaks of its own: rules
that need lines which are whole leave it alone.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from import_worker.detector.directory import Directory, NameMatch
from import_worker.detector.folding import lower
from import_worker.detector.links import Link, find_links, lost_line_breaks
from import_worker.detector.phrases.line_starts import glued_words

LINE: Final = "\u2028\n"
"""What stands before a line that was glued to the one before."""

GAP: Final = "  "
"""What stands before a link that was glued to its label."""

WIDTH: Final = 2
"""Characters of either."""

_NAMED_EMOJI: Final = re.compile(r":[a-z_]{3,25}:")
_BEHIND_SENTENCE: Final = re.compile(r"(?<=[\w)][.!?])(?=:[a-z_]{3,25}:)")
"""Where an emoji by its name begins the line behind a sentence."""

_BULLETS: Final = "*>~"
_SHORTEST_LABEL: Final = 4
_MAX_LABELS: Final = 20
_UMLAUTS: Final = (("oe", "o"), ("ae", "a"), ("ue", "u"))


def glued_lines(folded: str, directory: Directory) -> dict[int, str]:
    """Return what to put before which characters, in order: nothing for a text that has its breaks."""
    if not lost_line_breaks(folded):
        return {}
    links = find_links(folded)
    starts = [link.start for link in links]
    gaps = (at for at in starts if at and folded[at - 1].isalnum())
    lines = {at for at in _words(folded, links, directory) if not _is_inside(links, starts, at)}
    lines.update(link.end for link in links if _runs_on(folded, link.end))
    found = dict.fromkeys(gaps, GAP) | dict.fromkeys(lines, LINE)
    return dict(sorted(found.items()))


def _words(folded: str, links: Sequence[Link], directory: Directory) -> Iterator[int]:
    """Yield where a word begins that is glued to the one before, also inside of links."""
    names = tuple(directory.mentions(folded, lower(folded), is_glued=True))
    inside = {at for name in names for at in range(name.start + 1, name.end)}
    yield from (at for at in glued_words(folded) if at not in inside)
    yield from _beside(folded, names)
    yield from _behind_labels(folded, links)
    yield from (match.start() for match in _BEHIND_SENTENCE.finditer(folded))


def parted(text: str, glued: Mapping[int, str]) -> str:
    """Return a text with the separators before their characters."""
    parts: list[str] = []
    last = 0
    for at, separator in glued.items():
        parts += [text[last:at], separator]
        last = at
    return "".join([*parts, text[last:]])


def span_before(starts: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """Return the start and end of a stretch in the text as it was before it was parted."""
    at = [begin + number * WIDTH for number, begin in enumerate(starts)]
    return start - bisect_left(at, start) * WIDTH, end - bisect_left(at, end) * WIDTH


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


def _behind_labels(folded: str, links: Sequence[Link]) -> Iterator[int]:
    """Yield where a name ends that a site's label spells, and the next word is glued to it: "AcmeGet it: acme.com"."""
    labels = {link.label.lower() for link in links if link.kind == "site"}
    plain = _without_accents(folded)
    for label in sorted(labels)[:_MAX_LABELS]:
        if len(label) < _SHORTEST_LABEL:
            continue
        for spelled in _spellings(label):
            yield from _ends_of_word(folded, plain, spelled)


def _ends_of_word(folded: str, plain: str, word: str) -> Iterator[int]:
    """Yield where a word ends in a text without its accents that begins as a word does and runs on with a capital."""
    at = plain.find(word)
    while at >= 0:
        end = at + len(word)
        if not plain[at - 1 : at].isalnum() and folded[end : end + 1].isupper():
            yield end
        at = plain.find(word, end)


def _without_accents(folded: str) -> str:
    return "".join(map(_plain, folded))


@lru_cache(maxsize=4_096)
def _plain(character: str) -> str:
    """Return a letter in lower case without its accent: one character for one."""
    base = unicodedata.normalize("NFD", character)[:1].lower()
    return base if len(base) == 1 else character


def _spellings(label: str) -> set[str]:
    """Return a label as names may be spelled: with the vowel in the place of an umlaut's two letters."""
    plain = label
    for letters, vowel in _UMLAUTS:
        plain = plain.replace(letters, vowel)
    return {label, plain}
