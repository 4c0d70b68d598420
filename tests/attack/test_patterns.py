"""Regular expressions on texts constructed to slow them take linear time.

Patterns outside the detector are tested one by one, as they are used. Those of the detector see
parts of a text that its code selects, so the whole detector is tested with the texts for all of
them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from import_worker.detector import ChannelContext, detect
from tests.attack import patterns
from tests.attack.patterns import Found

ROOT: Final = Path(__file__).resolve().parents[2]
DETECTOR: Final = "import_worker.detector"
LONG: Final = 4_800
HELD: Final = patterns.held()
SEARCHED: Final = ("_BLOCK", "_NAMED_BELOW", "_SQL_KEY", "_VALKEY")
"""Names of patterns in the tables of cli.support, which are searched; a whole text is never held against them."""

USES: Final = {**patterns.uses(ROOT), **{name: {"search"} for name in SEARCHED}}
GROWS: Final = 8.0
"""The longest allowed time of four times the text: half way between linear and quadratic."""

_TABLES: Final = "tables of phrases, which the detector is tested with"
IN_FUNCTIONS: Final = {
    "gateway/tools/_naming.py:_names": r"(?<![\w./@-])(?:a\.recentVideos|a\.get)(?![\w-]|\.\w)",
    "catalog_service/domain/corrections.py:_new": r"[^a-z0-9]+",
    "gateway/resources/registry.py:_form": r"sponsorgraph://sponsor/([^/]+)",
    "import_worker/detector/languages.py:language_of": r"(?<!\S)\S+[./]\S+",
    "import_worker/domain/reader_checks.py:stands_in": r"(?<![\w@-])a\.example(?![\w-]|\.\w)",
    "import_worker/domain/reader_checks.py:stands_as_words": r"(?<![a-z0-9])a[\W_]*b(?![a-z0-9])",
    "import_worker/domain/name_forms.py:_occurrences": r"(?<![a-z0-9])(a)[\W_]*(b)(?![a-z0-9])",
    "gateway/mcp/texts/markdown.py:_columns": r"\.",
    "import_worker/detector/initials.py:_abbreviates": r"[\s\-]+",
    "import_worker/detector/list_entries.py:parted": r"~",
    "import_worker/detector/named_beside.py:_quoted_in": r"\"([^\"\n]{2,30})\"",
    "import_worker/detector/offer_lines.py:_parts_of": r"AB|(?:ab)[a-z]{0,12}\d",
    "import_worker/detector/unannounced_codes.py:_own_word": r"(?<![\w.@#/])(?:[a-z0-9]+-)?ab-?\d{1,3}(?![\w@/]|\.\w)",
    "import_worker/detector/headings.py:_nouns": _TABLES,
    "import_worker/detector/headings.py:_sentences": _TABLES,
    "import_worker/detector/phrases/cue.py:cues": _TABLES,
}
"""The functions that make a pattern, and what it is."""


def seconds(work: Callable[[], object]) -> float:
    """Return the shortest of several times, as other load only adds to them."""
    best = float("inf")
    for _ in range(4):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def grows_too_fast(work: Callable[[Any], object], few: Any, many: Any, plain: float) -> bool:
    """Return whether four times the text takes disproportionately longer.

    `plain` is the time of a harmless text; times close to it are not compared.
    """
    whole = seconds(lambda: work(many))
    if whole < 4 * plain:
        return False
    # What is slow is so each time; what was only disturbed is not.
    return all(
        seconds(lambda: work(many)) > GROWS * seconds(lambda: work(few)) + plain for _ in range(3)
    )


def pairs(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Return the same attacks, short and four times as long."""
    short, long = (patterns.attacks(pattern, length) for length in (LONG // 4, LONG))
    return list(zip(short, long, strict=False))


def harmless() -> float:
    """Return the seconds of one pass over a text."""
    passing = re.compile(r"[^\x02]*\x02")
    return seconds(lambda: passing.match("x" * LONG))


def test_the_search_finds_the_patterns_of_every_service() -> None:
    packages = {found.module.partition(".")[0] for found in HELD}
    assert packages >= {"auth_service", "catalog_service", "gateway", "import_worker", "servicekit"}
    assert len(HELD) > 80


def test_a_slow_pattern_would_be_found() -> None:
    slow = re.compile(r"\s*(?:a|b)*[ab]*$")
    assert any(grows_too_fast(slow.search, *pair, harmless()) for pair in pairs(slow))


def used(found: Found) -> set[str]:
    """Return the method by which a pattern is applied; patterns in tables are searched."""
    methods = USES.get(found.name, {"search"} if not found.name else {"fullmatch"})
    return {method for method in methods if method in ("match", "search", "fullmatch")} or {
        "search"
    }


OUTSIDE: Final = [found for found in HELD if not found.module.startswith(DETECTOR)]


@pytest.mark.parametrize("found", OUTSIDE, ids=lambda item: f"{item.module}.{item.name}")
def test_a_pattern_takes_time_in_proportion_to_its_text(found: Found) -> None:
    is_bytes = isinstance(found.pattern.pattern, bytes)
    for method in used(found):
        use: Any = getattr(found.pattern, method)
        for few, many in pairs(found.pattern):
            texts: list[Any] = [few, many]
            if is_bytes:
                texts = [text.encode("latin-1", "replace") for text in texts]
            assert not grows_too_fast(use, texts[0], texts[1], harmless()), many[:60]


@pytest.mark.parametrize(
    "where", [function for function, made in IN_FUNCTIONS.items() if made != _TABLES]
)
def test_a_pattern_made_in_a_function_takes_time_in_proportion_too(where: str) -> None:
    pattern = re.compile(IN_FUNCTIONS[where])

    def use(text: str) -> object:
        return pattern.fullmatch(text) if where.endswith("_form") else pattern.sub(" ", text)

    for pair in pairs(pattern):
        assert not grows_too_fast(use, *pair, harmless()), pair[1][:60]


def test_the_detector_takes_time_in_proportion_to_its_text() -> None:
    def reads(text: str) -> object:
        return detect(text[:200], text, ChannelContext())

    attacks = {
        pair for found in HELD if found.module.startswith(DETECTOR) for pair in pairs(found.pattern)
    }
    assert len(attacks) > 200
    reads("a text to read its tables for")
    plain = seconds(lambda: reads("lorem ipsum " * (LONG // 12)))
    slow = [many[:60] for few, many in attacks if grows_too_fast(reads, few, many, plain)]
    assert not slow
