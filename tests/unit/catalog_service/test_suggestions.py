"""Which names are suggested for a text that names nothing."""

import pytest

from catalog_service.domain.suggestions import suggested


def _names(text: str, parts: list[str], near: list[str] | None = None) -> list[str]:
    return list(suggested(text, parts, near or [], lambda name: (name,)))


def test_names_with_whole_words_come_before_beginnings_and_these_before_near_spellings() -> None:
    parts = ["Linusfan", "Evelinushka", "The Linus Show"]
    assert _names("linus", parts, ["Linux", "Linusfan"]) == ["The Linus Show", "Linusfan", "Linux"]


@pytest.mark.parametrize(
    "name", ["Evelinushka", "Paulinus", "Pau Paulinus", "ÉVÉLINUSHKA", "evelinus.hka"]
)
def test_a_text_inside_of_a_longer_word_suggests_nothing(name: str) -> None:
    assert _names("Linus", [name], [name]) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("vpn", "NordVPN"),
        ("tech tips", "LinusTechTips"),
        ("löve", "Ada Love"),
        ("tech ti", "Linus Tech Tips"),
        ("任天堂", "株式会社任天堂"),
        ("@linus", "The Linus_Show"),
    ],
)
def test_words_of_a_name_are_divided_by_signs_and_capitals_and_characters_without_blanks(
    text: str, name: str
) -> None:
    assert _names(text, [name]) == [name]


def test_a_left_out_first_letter_is_a_near_spelling() -> None:
    assert _names("aycon", ["Raycon"], ["Raycon"]) == ["Raycon"]


def test_no_more_than_three_are_suggested() -> None:
    assert len(_names("linus", ["Linus A", "Linus B", "Linus C", "Linus D"])) == 3
