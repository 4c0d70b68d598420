"""Items of a description: links with their labels, headings and codes, also where breaks were lost."""

import pytest

from import_worker.detector.announced_codes import announced_codes
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import Document, read_document
from import_worker.detector.items import Item, read_items
from import_worker.detector.links import find_links


def document(text: str) -> Document:
    return read_document(text, "description", bundled_directory())


def items(text: str) -> tuple[Item, ...]:
    return read_items(document(text))


def labels(text: str) -> list[str]:
    read = document(text)
    return [read.folded[item.start : item.link.start].strip() for item in read_items(read)]


def topics(text: str) -> list[str | None]:
    return [item.topic for item in items(text)]


BLOCK = """A slow day on the water.

My sponsors:
Quillbarrow: https://quillbarrow.com/lake
(boats since 1911!)
Tarnwick - https://bit.ly/tarn-lake
*** new ***
Osprell: https://osprell.io/?ref=lake
"""


def test_odd_lines_in_a_sponsor_block_end_nothing() -> None:
    assert topics(BLOCK) == ["sponsors", "sponsors", "sponsors"]
    assert [item.following for item in items(BLOCK)] == [0, 1, 2]


def test_a_long_sponsor_block_is_read_to_its_end() -> None:
    lines = "\n".join(f"Tarnwick{n}: https://tarnwick{n}.com/lake" for n in range(15))
    assert topics(f"My sponsors:\n{lines}") == ["sponsors"] * 15


def test_a_heading_for_another_block_ends_the_sponsors() -> None:
    text = f"{BLOCK}\nFollow me:\nhttps://instagram.com/lakesidediary"
    assert topics(text)[-1] != "sponsors"
    assert topics(text)[:3] == ["sponsors"] * 3


def test_a_label_of_the_creators_own_is_no_sponsor_though_it_stands_in_the_block() -> None:
    text = "My sponsors:\nQuillbarrow: https://quillbarrow.com/a\nPatreon: https://lakeside.shop/b"
    assert topics(text) == ["sponsors", None]


def test_a_label_that_names_nothing_borrows_the_line_before() -> None:
    assert labels("Quillbarrow boats\nclick here: https://bit.ly/3abcdef") == [
        "Quillbarrow boats\nclick here:"
    ]


def test_a_label_does_not_reach_over_the_link_before_it() -> None:
    text = "Quillbarrow: https://quillbarrow.com/a Tarnwick: https://tarnwick.com/b"
    assert labels(text) == ["Quillbarrow:", "Tarnwick:"]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        (
            "Boats: https://bit.ly/3AbCdEfSails: https://bit.ly/3GhIjKl",
            ["https://bit.ly/3AbCdEf", "https://bit.ly/3GhIjKl"],
        ),
        (
            "Clip: https://youtu.be/abcdefghij1Sailing is fun, and https://goo.gl/abc123",
            ["https://youtu.be/abcdefghij1", "https://goo.gl/abc123"],
        ),
    ],
)
def test_a_label_glued_to_an_id_of_known_length_is_cut_off(text: str, urls: list[str]) -> None:
    assert [link.url for link in find_links(text)] == urls


def test_a_chosen_short_path_keeps_its_capitals_beside_whole_lines() -> None:
    text = "Boats:\nhttps://bit.ly/LakesideTarnwick\nSails:\n"
    assert [link.url for link in find_links(text)] == ["https://bit.ly/LakesideTarnwick"]


def test_links_glued_to_each_other_are_two() -> None:
    text = "https://quillbarrow.com/ahttps://tarnwick.com/b"
    assert [link.domain for link in find_links(text)] == ["quillbarrow.com", "tarnwick.com"]


def test_a_host_glued_to_a_path_is_a_link_of_its_own() -> None:
    text = "https://www.instagram.com/quillbarrow/www.quillbarrow.com"
    urls = ["https://www.instagram.com/quillbarrow/", "www.quillbarrow.com"]
    assert [link.url for link in find_links(text)] == urls


def test_a_code_belongs_to_the_item_it_stands_in() -> None:
    text = (
        "Quillbarrow: https://quillbarrow.com use code LAKE10\n"
        "Tarnwick: https://tarnwick.com use code SHORE20"
    )
    read = document(text)
    codes = list(announced_codes(read))
    held = [
        [code.text for code in codes if item.start <= code.start < item.end]
        for item in read_items(read)
    ]
    assert held == [["LAKE10"], ["SHORE20"]]


@pytest.mark.parametrize("drawn", ["*****", "-----------", "══════", "__________", "▬▬▬▬▬▬"])
def test_a_drawn_line_parts_what_stands_before_and_behind_it(drawn: str) -> None:
    text = (
        f"Boats by Quillbarrow: https://bit.ly/3AbCdEf{drawn}My own shirts: https://lakeside.shop/a"
    )
    read = document(text)
    boats, shirts = read_items(read)
    assert "shirts" not in read.folded[boats.start : boats.end]
    assert read.folded[shirts.start : shirts.link.start].strip() == "My own shirts:"
    paragraphs = [
        read.segments[read.segment_index(item.start)].paragraph for item in (boats, shirts)
    ]
    assert paragraphs[0] < paragraphs[1]


def test_a_few_signs_are_no_drawn_line() -> None:
    text = "Boats by Quillbarrow *** new *** https://bit.ly/3AbCdEf"
    assert labels(text) == ["Boats by Quillbarrow *** new ***"]


def test_a_block_of_the_creators_pages_ends_with_its_paragraph() -> None:
    pages = (
        "Follow me:\nInstagram: https://instagram.com/lakesidediary\nhttps://lakesidediary.com/a\n"
    )
    offer = "20 % off boats\nhttps://bit.ly/3AbCdEf\nand sails\nhttps://bit.ly/3GhIjKl\n"
    assert topics(f"{pages}\n{offer}") == ["social", "social", None, None]
    assert topics(f"{pages}{offer}")[:3] == ["social", "social", "social"]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("Quillbarrow: www.quillbarrow.com15% off with LAKE", ["www.quillbarrow.com"]),
        ("Quillbarrow: quillbarrow.com/lake 15% off", ["quillbarrow.com/lake"]),
        ("Version quillbarrow.com15 is out", []),
    ],
)
def test_a_discount_glued_to_a_host_is_no_part_of_it(text: str, urls: list[str]) -> None:
    assert [link.url for link in find_links(text)] == urls


def test_signs_between_blanks_part_no_sentence() -> None:
    text = "Thanks to Quillbarrow ★★★★★ for the boat, my link ===== https://quillbarrow.com/lake-----east"
    read = document(text)
    assert len({segment.paragraph for segment in read.segments}) == 1
    assert [link.url for link in read.links] == ["https://quillbarrow.com/lake-----east"]


@pytest.mark.parametrize(
    ("text", "domains"),
    [
        ("https://quillbarrow.com@tarnwick.com/x", []),
        (
            "https://user:secret@tarnwick.com/x and https://quillbarrow.com/@lake",
            ["quillbarrow.com"],
        ),
        ("https://127.0.0.1/x", []),
    ],
)
def test_a_link_with_user_information_and_the_address_of_a_machine_lead_nowhere(
    text: str, domains: list[str]
) -> None:
    assert [link.domain for link in find_links(text)] == domains
