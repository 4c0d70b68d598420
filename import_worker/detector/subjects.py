"""What the words around a link are about, read in one scan of the text."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from functools import cache, lru_cache
from typing import Final

from ahocorasick_rs import AhoCorasick

from import_worker.detector.phrases.subject_words import SUBJECT_WORDS, Subject

_ANY: Final = "*"
_FIRST_UNSPACED: Final = "\u3040"


def subjects_in(lowered: str, start: int, end: int) -> frozenset[Subject]:
    """Return the subjects whose words stand within a stretch of a text."""
    starts, subjects = _words_of(lowered)
    first, last = bisect_left(starts, start), bisect_right(starts, end - 1)
    return frozenset[Subject]().union(*subjects[first:last])


@lru_cache(maxsize=4)
def _words_of(lowered: str) -> tuple[list[int], list[frozenset[Subject]]]:
    """Return where words of the tables begin, ascending, with the subjects of each."""
    automaton, whole, subjects = _automaton()
    starts: list[int] = []
    found: list[frozenset[Subject]] = []
    for number, start, end in sorted(
        automaton.find_matches_as_indexes(lowered, overlapping=True), key=lambda match: match[1]
    ):
        if _is_word(lowered, start, end, is_whole=whole[number]):
            starts.append(start)
            found.append(subjects[number])
    return starts, found


def _is_word(lowered: str, start: int, end: int, *, is_whole: bool) -> bool:
    if lowered[start] >= _FIRST_UNSPACED:
        return True
    if start and lowered[start - 1].isalnum() and lowered[start - 1] < _FIRST_UNSPACED:
        return False
    return (
        not is_whole
        or end == len(lowered)
        or not lowered[end].isalpha()
        or lowered[end] >= _FIRST_UNSPACED
    )


@cache
def _automaton() -> tuple[AhoCorasick, tuple[bool, ...], tuple[frozenset[Subject], ...]]:
    """Return an automaton of all words, which of them are whole ones, and their subjects."""
    by_word: defaultdict[str, set[Subject]] = defaultdict(set)
    for subject, words in SUBJECT_WORDS.items():
        for word in words.split():
            by_word[word].add(subject)
    words = list(by_word)
    return (
        AhoCorasick([word.removesuffix(_ANY) for word in words]),
        tuple(not word.endswith(_ANY) for word in words),
        tuple(frozenset(by_word[word]) for word in words),
    )
