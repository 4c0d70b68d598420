"""The headings of a text's blocks, found by the words that they must have."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from ahocorasick_rs import AhoCorasick

from import_worker.detector.literals import required_literals
from import_worker.detector.phrases.code_headings import CODE_NOUNS, CODE_OWNERS, CODE_WORDS
from import_worker.detector.phrases.headings import HEADINGS, STEMS, Topic
from import_worker.detector.phrases.sponsor_headings import (
    SPONSOR_NOUNS,
    SPONSOR_OWNERS,
    SPONSOR_SENTENCES,
    SPONSOR_WORDS,
)

Heading = tuple[int, int, Topic]
"""Start, end and topic of a heading."""

_MAX_WORDS: Final = 160
_BEFORE: Final = 40
_BEHIND: Final = 60
_SIGN: Final = r"\s{0,2}[^\w\s,.;!?'\"()@#&/+%*-]"
"""What ends a heading: a colon, an arrow, a line or a picture."""

_NO_PARTNER: Final = r"(?! (?:avec|with|con|com|mit|met|med|z|ze|s|с|із|з) )"
"""A partnership that is named is no heading of a list."""

_MORE: Final = r"(?:[ ,/&+]{1,3}[^\W_][^\s:]{0,14}){0,9}(?:\s?\([^()\n]{0,50}\))?"
"""Words of a heading behind its noun."""

_TIME_LENGTH: Final = 16
_TIME_BEFORE: Final = re.compile(r"(?:^|\n)[^\w\n]{0,3}\d{1,2}:\d\d(?::\d\d)?[^\w\n]{0,4}$")
_TIME_WITHIN: Final = re.compile(r"[^\w\n]{0,3}\d{1,2}:\d\d(?::\d\d)?\b")
_TIME_BEHIND: Final = re.compile(r"[^\w\n]{0,4}\d{1,2}:\d\d\b")

_NO_SIGNS: Final = frozenset(",.;:!?()[]{}<>\"'@#&/+%*-")


@dataclass(frozen=True, slots=True)
class _Table:
    """A pattern of headings with the literals of which each match has one; some begin their line, or stand behind a sign."""

    topic: Topic
    pattern: re.Pattern[str]
    literals: frozenset[str]
    begins: bool = False


@lru_cache(maxsize=8)
def headings(lowered: str) -> tuple[Heading, ...]:
    """Return start, end and topic of the headings of a text, in order."""
    automaton, tables = _automaton()
    found: set[Heading] = set()
    for word, start, end in automaton.find_matches_as_indexes(lowered, overlapping=True)[
        :_MAX_WORDS
    ]:
        for table in tables[word]:
            match = _search(table, lowered, start, end)
            if match and not _is_chapter(lowered, *match.span()):
                found.add((match.start(), match.end(), table.topic))
    return tuple(sorted(_outer(found)))


def _is_chapter(lowered: str, start: int, end: int) -> bool:
    """Return whether a line begins or ends with a time: it is a chapter of the video and heads no list."""
    return (
        _TIME_BEFORE.search(lowered, max(start - _TIME_LENGTH, 0), start) is not None
        or _TIME_WITHIN.match(lowered, start, end) is not None
        or _TIME_BEHIND.match(lowered, end) is not None
    )


def _outer(found: set[Heading]) -> Iterator[Heading]:
    """Yield the headings that are no part of a longer one of their topic."""
    for start, end, topic in found:
        if not any(
            other == topic and first <= start and end <= last and (first, last) != (start, end)
            for first, last, other in found
        ):
            yield start, end, topic


def _search(table: _Table, lowered: str, start: int, end: int) -> re.Match[str] | None:
    first, last = max(start - _BEFORE, 0), end + _BEHIND
    if not table.begins:
        return table.pattern.search(lowered, first, last)
    matches = (table.pattern.match(lowered, at, last) for at in _beginnings(lowered, first, start))
    return next((match for match in matches if match), None)


def _beginnings(lowered: str, first: int, word: int) -> Iterator[int]:
    """Yield where the heading of a word may begin: at its line's beginning, or behind a sign on its line."""
    line = lowered.rfind("\n", first, word) + 1
    if line or not first:
        yield line
    first = max(first, line)
    for at in range(word - 1, first - 1, -1):
        character = lowered[at]
        if not character.isalnum() and not character.isspace() and character not in _NO_SIGNS:
            yield at
            return


@cache
def _automaton() -> tuple[AhoCorasick, tuple[tuple[_Table, ...], ...]]:
    """Return an automaton of the tables' literals, and the tables of each."""
    tables: defaultdict[str, list[_Table]] = defaultdict(list)
    for table in _tables():
        for literal in table.literals:
            tables[literal].append(table)
    return AhoCorasick(list(tables)), tuple(tuple(of) for of in tables.values())


def _tables() -> Iterator[_Table]:
    for topic, stems in STEMS.items():
        yield _Table(topic, HEADINGS[topic], frozenset(stems))
    yield from _nouns("sponsors", SPONSOR_NOUNS, SPONSOR_OWNERS)
    yield from _nouns("affiliate", CODE_NOUNS, CODE_OWNERS)
    yield from _sentences("sponsors", SPONSOR_SENTENCES, rf"(?:{_SIGN}|\s?\n)")
    yield from _sentences("sponsors", SPONSOR_WORDS, r"\s{0,2}(?:[:▼▽↓⬇👇】\]/|★☆◆◇■□●]|\n)")
    yield from _sentences("affiliate", CODE_WORDS, r"\s{0,2}(?:[:▼▽↓⬇👇】\]/|]|\n)")


def _nouns(topic: Topic, nouns: Iterable[str], owners: str) -> Iterator[_Table]:
    for forms in nouns:
        line = rf"[^\w\n@#]{{0,12}}(?:(?:{owners}) ){{0,4}}(?:{forms})\b{_NO_PARTNER}{_MORE}(?:{_SIGN}|\s{{0,2}}[-=]*\s?\n)"
        yield _Table(topic, re.compile(line), required_literals(re.compile(forms)), begins=True)


def _sentences(topic: Topic, sentences: Iterable[str], behind: str) -> Iterator[_Table]:
    for words in sentences:
        pattern = re.compile(rf"(?:{words}){behind}")
        yield _Table(topic, pattern, required_literals(re.compile(words)))
