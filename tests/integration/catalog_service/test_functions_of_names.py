"""The functions by which names are stored and searched give what is written of them, for words of any letters."""

import random
from collections.abc import Callable, Generator
from typing import Final

import psycopg
import pytest

_LETTERS: Final = ("ab", "abcdefghij", "äöü漢字ваб", "aÀ1é٣")


def _words(letters: str) -> list[str]:
    """Return words of all lengths around the bounds, some with equal letters in a row."""
    chooser = random.Random(letters)
    lengths = [*range(12), *range(37, 45)] * 8
    return ["".join(chooser.choices(letters, k=length)) for length in lengths]


def _deletions(word: str) -> set[str]:
    if not 3 <= len(word) <= 40:
        return set()
    return {word} | {word[:gap] + word[gap + 1 :] for gap in range(len(word))}


def _slips(word: str) -> set[str]:
    if not 3 <= len(word) <= 40:
        return set()
    pairs = [
        (word[:spot], word[spot], word[spot + 1], word[spot + 2 :]) for spot in range(len(word) - 1)
    ]
    return {
        before + (first if first == second else second + first) + behind
        for before, first, second, behind in pairs
    }


def _suffixes(word: str) -> set[str]:
    return {word[start : start + 40] for start in range(len(word) - 2)}


@pytest.fixture(scope="module")
def connection(fresh_database: Callable[[], str]) -> Generator[psycopg.Connection]:
    with psycopg.connect(fresh_database()) as connected:
        yield connected


@pytest.mark.parametrize("letters", _LETTERS)
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("one_deletions(word)", _deletions),
        ("typing_slips(word)", _slips),
        ("tsvector_to_array(name_suffixes(word))", _suffixes),
    ],
)
def test_a_function_of_names_gives_each_form_once(
    connection: psycopg.Connection,
    letters: str,
    function: str,
    expected: Callable[[str], set[str]],
) -> None:
    statement = f"SELECT word, {function} FROM unnest(%s::text[]) AS word"

    found = connection.execute(statement.encode(), [_words(letters)]).fetchall()

    for word, forms in found:
        assert sorted(forms) == sorted(expected(word)), word
