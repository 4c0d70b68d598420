"""Literals that patterns need: no text that a pattern matches lacks all of them."""

import re

import pytest

from import_worker.detector.literals import required_literals
from import_worker.detector.phrases import offers
from import_worker.detector.prefilter import bit_of, matches, searchable


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"\bdiscount\b", {"discount"}),
        (r"(?:half|full) price", {"half price", "full price"}),
        (r"gutscheine?", {"gutschein"}),
        (r"\d+ ?%", {"%"}),
        (r"colou?r|hue", {"color", "colour", "hue"}),
        (r"(?:my|our)(?: \w+){0,3} shop", {" shop"}),
        (r"save [$€]", {"save $", "save €"}),
        (r"(?<=never )mind(?! you)", {"mind"}),
        (r"(?:ab)+c", {"ab"}),
        (r"\w+", set[str]()),
        (r"a*|b", set[str]()),
        (r"[^a]b?", set[str]()),
    ],
)
def test_each_match_holds_one_of_the_literals(pattern: str, literals: set[str]) -> None:
    assert required_literals(re.compile(pattern)) == literals


def test_nothing_is_read_from_a_pattern_without_regard_to_case() -> None:
    assert required_literals(re.compile("Discount", re.IGNORECASE)) == set()


TEXT = "use my link for 20 % off your first order. our webshop ships for free"


@pytest.mark.parametrize("table", [offers.BENEFIT, offers.ACTION, offers.OWN_LINK])
def test_a_stretch_matches_with_the_scan_as_it_does_without(table: re.Pattern[str]) -> None:
    for start in range(0, len(TEXT), 3):
        for end in range(start, len(TEXT) + 1, 5):
            expected = table.search(TEXT, start, end) is not None
            assert matches(table, TEXT, start, end) == expected
            assert searchable(TEXT, start, end) & bit_of(table) or not expected
