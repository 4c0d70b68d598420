"""Terms as they are read, and the languages of texts."""

import pytest

from catalog_service.domain.errors import BadArgument
from catalog_service.domain.topics import languages, search_terms
from catalog_service.domain.topics.words import words_of


def read(text: str) -> str:
    return search_terms.written(search_terms.read(text))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("investing", '"investing"'),
        ("  Index   FUNDS ", '"index" "funds"'),
        ('"index funds" -crypto', '"index funds" -"crypto"'),
        ("„Geldanlage leicht“ −Krypto", '"geldanlage leicht" -"krypto"'),
        ("stocks or bonds OR gold", '"stocks" or "bonds" or "gold"'),
        ('stocks "or" bonds', '"stocks" "or" "bonds"'),
        ("or stocks or or bonds or", '"stocks" or "bonds"'),
        ('"never closed', '"never closed"'),
        ("wi-fi don't C++", '"wi fi" "don t" "c"'),
        ("a & b | !c:* <-> (d)", '"a" "b" "c" "d"'),
        ("\\'x\\' ; -- DROP", '"x" "drop"'),
        ("投資入門", '"投 投資 資 資入 入 入門 門"'),
        ("ｹﾞｰﾑ", '"ゲ ゲー ー ーム ム"'),
        ("iPhone買取", '"iphone 買 買取 取"'),
        ("ÉPARGNE", '"épargne"'),
        ("\u202eevil\u200b", '"evil"'),
    ],
)
def test_terms_are_words_phrases_exclusions_and_alternatives(text: str, written: str) -> None:
    assert read(text) == written


@pytest.mark.parametrize("text", ["", "   ", "---", '""', "!?", "🙂", "OR"])
def test_nothing_to_find_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="letter or digit"):
        read(text)


@pytest.mark.parametrize("text", ["-crypto", "stocks OR -crypto", '-"index funds" -gold'])
def test_exclusions_alone_are_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="only excludes"):
        read(text)


def test_the_length_and_the_number_of_words_are_bounded() -> None:
    with pytest.raises(BadArgument, match="200 characters"):
        read("x" * 201)
    with pytest.raises(BadArgument, match="40 words"):
        read("x " * 41)
    with pytest.raises(BadArgument, match="40 words"):
        read("投" * 21)
    assert read("x " * 40)


def test_exclusions_are_named_without_their_minus() -> None:
    terms = search_terms.read('stocks -crypto OR gold -"index funds"')
    assert search_terms.excluded(terms) == ['"crypto"', '"index funds"']


@pytest.mark.parametrize(
    ("language", "configuration"),
    [
        ("de", "german"),
        ("en-US", "english"),
        ("PT-br", "portuguese"),
        ("nb", "norwegian"),
        ("zh-Hans", "simple"),
        ("ja", "simple"),
        ("de-x'; DROP", "german"),
        ("xx", "simple"),
        ("", "simple"),
        (None, "simple"),
    ],
)
def test_a_language_has_the_configuration_of_its_first_part(
    language: str | None, configuration: str
) -> None:
    assert languages.configuration_of(language) == configuration


def test_words_are_bounded_and_have_no_control_characters() -> None:
    assert words_of("x" * 100) == ["x" * 60]
    assert words_of("a\x00b\nc\td") == ["a", "b", "c", "d"]
