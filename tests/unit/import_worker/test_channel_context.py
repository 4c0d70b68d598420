"""What a channel's name tells of links and codes."""

import pytest

from import_worker.detector import channel_context

DIARY = channel_context("Das Brindle Magazin", [])


@pytest.mark.parametrize(
    "text", ["/Tarnwick_Brindle", "/brindle", "BRINDLE10", "/lp?via=das-brindle"]
)
def test_a_word_of_the_channels_name_marks_its_links_and_codes(text: str) -> None:
    assert DIARY.is_named_in(text)


@pytest.mark.parametrize("text", ["/magazin/7", "MAGAZIN10", "/brindlewood", "/tarnwick", ""])
def test_words_of_many_channels_and_parts_of_words_mark_none(text: str) -> None:
    assert not DIARY.is_named_in(text)


@pytest.mark.parametrize(
    ("name", "text", "is_named"),
    [
        ("Ogród Pani Brindlki", "/polecam/brindlka", True),
        ("Ogród Pani Brindlki", "/polecam/brindlestone", False),
        ("Озеро Тарнвика", "/tarnvik", True),
        ("ねこぜ日記", "/lp/nekoze/", True),
        ("Озеро Тарнвика", "/lodka", False),
    ],
)
def test_a_name_marks_its_links_in_another_script_or_form(
    name: str, text: str, *, is_named: bool
) -> None:
    assert channel_context(name, []).is_named_in(text) is is_named
