"""The brand that an item is about, read from its link, its label and the path of a short link."""

import pytest

from import_worker.detector.context import ChannelContext, channel_context
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import read_document
from import_worker.detector.item_brands import Named, brands_of, trim_tail
from import_worker.detector.items import read_items
from import_worker.detector.reading import Reading

LAKESIDE = channel_context(
    "Lakeside Diary",
    [f"Walk {n}. Follow me: https://instagram.com/lakesidediary" for n in range(6)],
)


def first_brands(text: str, context: ChannelContext = LAKESIDE) -> list[Named]:
    document = read_document(text, "description", bundled_directory())
    reading = Reading(document, bundled_directory(), context)
    return brands_of(reading, read_items(document)[0])


def names(text: str) -> list[tuple[str, str]]:
    return [(named.found.name, named.source) for named in first_brands(text)]


@pytest.mark.parametrize(
    ("text", "name", "source"),
    [
        ("Quillbarrow oars for everyone: https://bit.ly/lakeside-quillbarrow", "Quillbarrow", "path"),
        ("Try Tarnwick free for a month: https://bit.ly/3abcdef", "Tarnwick", "call"),
        ("A day on the lake with osprell: https://bit.ly/3abcdef", "osprell", "place"),
        ("Go here: https://bit.ly/lakesidediary_osprell", "Osprell", "path"),
    ],
)  # fmt: skip
def test_the_brand_behind_a_short_link_is_read_from_path_call_or_place(
    text: str, name: str, source: str
) -> None:
    assert (name, source) in names(text)


def test_a_known_brand_in_the_label_comes_before_unknown_names() -> None:
    assert names("Surfshark for Rowers: https://bit.ly/3abcdef")[0] == ("Surfshark", "directory")


def test_a_link_to_a_brands_own_site_names_it_and_nothing_else() -> None:
    found = first_brands("Oars by Tarnwick: https://quillbarrow.com/lake")
    assert [named.found.domain for named in found] == ["quillbarrow.com"]
    assert found[0].source == "domain"


def test_a_label_in_lower_case_in_a_sponsor_block_is_a_name() -> None:
    text = "My sponsors:\nquillbarrow: https://bit.ly/3abcdef"
    assert ("Quillbarrow", "label") in names(text)


def test_a_platform_is_no_brand_of_an_item() -> None:
    assert names("Follow Quillbarrow: https://instagram.com/lakesidediary") == []


def test_words_for_what_is_sold_are_no_part_of_a_name() -> None:
    assert trim_tail("Quillbarrow App") == "Quillbarrow"
    assert trim_tail("Quillbarrow Bike Helmets") == "Quillbarrow"
    assert trim_tail("Trial") == "Trial"


def test_an_item_has_no_more_than_three_brands() -> None:
    text = "With Aldermere, by Brockwell, from Cressing, at Dunmore https://bit.ly/3abcdef"
    assert 0 < len(first_brands(text)) <= 3


def test_the_known_brand_of_the_sentence_before_a_trial_stands_behind_its_short_link() -> None:
    text = "All music from Epidemic Sound. You can get your free 30 day trial here: https://bit.ly/3abcdef"
    assert names(text) == [("Epidemic Sound", "place")]


@pytest.mark.parametrize(
    "text",
    [
        "All music from Epidemic Sound. See my next walk here: https://bit.ly/3abcdef",
        "Sold at Best Buy. The best price of all is here: https://bit.ly/3abcdef",
    ],
)
def test_without_a_trial_the_sentence_before_a_short_link_names_no_brand(text: str) -> None:
    assert names(text) == []


def test_a_link_that_counts_who_installs_a_platforms_app_is_the_platforms() -> None:
    found = first_brands("Download it: https://picpay.onelink.me/R25q/f9f03ed9")
    assert [named.found.name for named in found] == ["PicPay"]
    assert first_brands("Give me a tip: https://picpay.com/lakesidediary") == []
