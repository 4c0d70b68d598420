"""Codes without a word for one, beside what they give and where they are used."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("10% off at Quillbarrow: XYQ10", "XYQ10"),
        ("XYQ10 for 10% off Quillbarrow", "XYQ10"),
        ("Use XYQ10 at quillbarrow.com", "XYQ10"),
        ("Kod XYQ10 daje 10% zniżki w sklepie Quillbarrow", "XYQ10"),
        ("Quillbarrow'te XYQ10 koduyla %10 indirim", "XYQ10"),
        ("code LAKE15 = 15% off @quillbarrow", "LAKE15"),
    ],
)
def test_a_code_beside_what_it_gives_is_for_the_shop_named_there(text: str, code: str) -> None:
    found = detect("A day at the lake", text, LAKESIDE)
    assert [(item.brand.lower(), item.code) for item in found] == [("quillbarrow", code)]


@pytest.mark.parametrize("heading", ["Discount codes:", "MY DISCOUNTS", "Rabattcodes:"])
@pytest.mark.parametrize("entry", ["Quillbarrow: BIRD15 {}", "- Quillbarrow – BIRD15 ({})"])
def test_an_entry_under_a_heading_for_codes_has_its_own(heading: str, entry: str) -> None:
    first = entry.format("https://quillbarrow.com")
    text = f"{heading}\n{first}\nMoosquell: code OWL20 https://moosquell.com"
    found = {item.brand: item.code for item in detect("A day at the lake", text, LAKESIDE)}
    assert found == {"Quillbarrow": "BIRD15", "Moosquell": "OWL20"}


@pytest.mark.parametrize(
    "text",
    [
        "The EOS R50 for 10% less weight than the Quillbarrow",
        "The RTX4090 for $1,600 at Quillbarrow is too much",
        "Use GPT4 at quillbarrow.com for fun",
        "ISO6400 for 10% less noise",
    ],
)
def test_numbers_of_products_are_no_codes(text: str) -> None:
    assert [item.code for item in detect("A day at the lake", text, LAKESIDE) if item.code] == []


def test_numbers_of_products_under_a_further_heading_are_no_codes() -> None:
    code = "Discount code OWL20 at Moosquell: https://moosquell.com"
    gear = "My gear:\nMic: SM57\nLens: RF50 https://osprell.com/rf50"
    found = detect("A day at the lake", f"{code}\n\n{gear}", LAKESIDE)
    assert [item.code for item in found] == ["OWL20"]
