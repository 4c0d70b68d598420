"""Texts are read without the hidden characters inside words; evidence stands where it stood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from import_worker.detector import channel_context, detect
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import read_document
from import_worker.detector.hidden_characters import original_span, without_hidden

LAKESIDE = channel_context("Lakeside Diary", [])


@pytest.mark.parametrize("hidden", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u200b\u200b"])
def test_a_phrase_and_a_name_are_read_across_hidden_characters(hidden: str) -> None:
    text = f"A wa{hidden}lk.\nThis video is spon{hidden}sored by Quill{hidden}barrow!\nBye"

    (found,) = detect("A day at the lake", text, LAKESIDE)

    assert found.brand == "Quillbarrow"
    assert found.excerpt == f"This video is spon{hidden}sored by Quill{hidden}barrow!"
    assert text[found.start : found.end] == found.excerpt


def test_a_link_ends_at_a_hidden_character() -> None:
    text = "Sponsored by Quillbarrow: https://quillbarrow.com/lake\u200bFollow me"

    document = read_document(text, "description", bundled_directory())

    assert [link.url for link in document.links] == ["https://quillbarrow.com/lake"]


@given(st.text(alphabet="ab /\u200b\u00ad\n", max_size=80), st.data())
def test_a_stretch_has_its_place_in_the_text_as_it_was(text: str, data: st.DataObject) -> None:
    plain, dropped = without_hidden(text)
    if not plain:
        return
    start = data.draw(st.integers(0, len(plain) - 1))
    end = data.draw(st.integers(start + 1, len(plain)))

    first, last = original_span(dropped, start, end)

    # What stands before decides whether a character is one of a link, so the text is read from its beginning.
    assert without_hidden(text[:last])[0].endswith(plain[start:end])
    assert (text[first], text[last - 1]) == (plain[start], plain[end - 1])
