"""Digits of other scripts are the digits 0 to 9, and some letters are in no key."""

import pytest

from catalog_service.domain import arguments
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.name_keys import key_letters, plain_digits
from catalog_service.domain.transliteration import latin


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("३", "3"),
        ("nord٣", "nord3"),
        ("Кафе १२३", "Кафе 123"),
        ("๓፫➂³３", "33333"),
        ("Nord 3", "Nord 3"),
        ("三 ½ Ⅳ", "三 ½ Ⅳ"),
    ],
)
def test_digits_of_other_scripts_are_those_of_ascii(text: str, plain: str) -> None:
    assert plain_digits(text) == plain


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("N-3!", "N3"),
        ("३३", "33"),
        ("Hawaiʻi", "Hawaii"),
        ("ʻ", ""),
        ("ʻʼ ˈː", ""),
        ("௰", ""),
        ("々", "々"),
        ("〇", "〇"),
        ("½", "12"),
        ("\U0001f602", ""),
    ],
)
def test_a_key_has_letters_and_digits_alone(text: str, letters: str) -> None:
    assert key_letters(text) == letters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nord३", "nord3"),
        ("३३३", "333"),
        ("Форд ३", "Ford 3"),
        ("Nord 3", None),
        ("m²", None),
        ("ʻ", "`"),
    ],
)
def test_a_name_with_digits_of_another_script_has_a_spelling_with_those_of_ascii(
    text: str, expected: str | None
) -> None:
    assert latin(text) == expected


@pytest.mark.parametrize("words", ["!?", "ʻ", "ʻʻʻ", "ˈ ː", "௰", "৴"])
def test_a_search_without_a_letter_or_digit_is_refused(words: str) -> None:
    with pytest.raises(BadArgument, match="needs at least one letter or digit"):
        arguments.search(words)


def test_a_search_of_digits_of_another_script_is_none_of_these() -> None:
    assert arguments.search(" ३ ") == "३"
