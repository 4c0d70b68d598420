"""Which names are suggested for a text that names nothing."""

import time

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
        ("मित", "अमर मित"),
        ("घर", "नया घर"),
    ],
)
def test_words_of_a_name_are_divided_by_signs_and_capitals_and_characters_without_blanks(
    text: str, name: str
) -> None:
    assert _names(text, [name]) == [name]


@pytest.mark.parametrize(
    ("text", "name"), [("नुष्का", "एवलीनुष्का"), ("त", "अमित"), ("นุช", "เอเวลีนุชกา")]
)
def test_a_vowel_mark_ends_no_word(text: str, name: str) -> None:
    assert _names(text, [name], [name]) == []


def test_marks_distinguish_words_but_for_accents_of_latin_greek_and_cyrillic_letters() -> None:
    assert _names("कि", ["को"]) == []
    assert _names("naive ελαδα", ["Naïve Ελάδα"]) == ["Naïve Ελάδα"]
    assert _names("ежик", ["Ёжик"]) == ["Ёжик"]


@pytest.mark.parametrize(
    "text", ["\N{FIRE}", "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}", "!"]
)
def test_a_text_without_letters_suggests_nothing(text: str) -> None:
    assert _names(text, ["Linus"], ["Linus"]) == []


def test_many_long_names_without_blanks_take_little_time() -> None:
    names = [f"{chr(0x4E00 + number) * 60}{'日本' * 20}" for number in range(50)]
    assert _names("日本", names) == names[:3]
    started = time.process_time()
    for _ in range(20):
        _names("日本", names)
    assert time.process_time() - started < 0.2


def test_a_left_out_first_letter_is_a_near_spelling() -> None:
    assert _names("aycon", ["Raycon"], ["Raycon"]) == ["Raycon"]


@pytest.mark.parametrize("name", ["Lineup", "Liguus"])
def test_a_name_with_only_some_letters_of_a_short_text_is_no_near_spelling(name: str) -> None:
    assert _names("Linus", [], [name]) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [("nkie", "Nike"), ("Nordvnp", "NordVPN"), ("audibel", "Audible"), ("raycn", "Raycon")],
)
def test_letters_that_are_left_out_or_change_places_are_near_spellings(
    text: str, name: str
) -> None:
    assert _names(text, [], [name]) == [name]


def test_no_more_than_three_are_suggested() -> None:
    assert len(_names("linus", ["Linus A", "Linus B", "Linus C", "Linus D"])) == 3
