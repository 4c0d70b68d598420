"""The words of advertising in a description."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from import_worker.domain.disclosure_words import disclosure_words


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("This video is Sponsored by Somebody. #ad", ("#ad", "sponsored")),
        ("Paid partnership with Somebody", ("paid", "partnership")),
        ("Enthält Werbung", ("werbung",)),
        ("この動画は提供です", ("提供",)),
        ("Thanks to all of you", ()),
        ("An upload about adders and roadside repaid loans", ()),
        ("https://example.com/partner/ad?sponsor=1", ()),
        ("", ()),
    ],
)
def test_whole_words_of_advertising_are_found(description: str, words: tuple[str, ...]) -> None:
    assert disclosure_words(description) == words


@given(st.text())
def test_words_have_no_spaces_and_come_once_in_order(description: str) -> None:
    words = disclosure_words(description)
    assert list(words) == sorted(set(words))
    assert all(word.split() == [word] for word in words)


@given(st.text(), st.sampled_from(["sponsor", "#ad", "广告"]))
def test_a_word_counts_wherever_it_stands(text: str, word: str) -> None:
    assert word in disclosure_words(f"{text.rstrip('/:#')}\n{word}\n")
