"""One promo code for several sites: each of the list that it heads or ends has it."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])
LIST = """Brindlewick https://brindlewick.com
Moosquell https://moosquell.com
Tarnwick https://tarnwick.io"""


def codes(description: str) -> dict[str, str | None]:
    return {item.brand: item.code for item in detect("A day out", description, LAKESIDE)}


@pytest.mark.parametrize(
    "heading",
    [
        "Use code LAKE10 on all of these sites:",
        'Code "LAKE10" works for 10% off at the following sites!',
        "Mit dem Code LAKE10 spart ihr bei allen Partnern 10%:",
        "Cupom LAKE10 em todos os sites:",
        "Use code LAKE10 for 10% off everything below:",
        "Código LAKE10: 10% en todo lo de abajo:",
        "Avec le code LAKE10, 10% de réduction chez tous nos partenaires :",
    ],
)
def test_a_code_is_for_each_site_of_the_list_that_it_heads(heading: str) -> None:
    expected = dict.fromkeys(("Brindlewick", "Moosquell", "Tarnwick"), "LAKE10")
    assert codes(f"{heading}\n{LIST}") == expected
    assert codes(f"{heading}\n\n{LIST}\n\nMy camera: https://osprell.com/c4") == expected


def test_a_code_is_for_each_site_of_the_list_that_stands_above_it() -> None:
    expected = dict.fromkeys(("Brindlewick", "Moosquell", "Tarnwick"), "LAKE10")
    assert codes(f"{LIST}\nUse code LAKE10 for 10% off at all of the above!") == expected


def test_a_code_is_for_each_shop_that_its_sentence_names() -> None:
    text = "Use my code LAKE10 for 10% off at Brindlewick, Moosquell and Tarnwick!\n"
    links = "https://brindlewick.com https://moosquell.com https://tarnwick.io"
    assert set(codes(text + links).values()) == {"LAKE10"}
    assert set(codes(text + links)) == {"Brindlewick", "Moosquell", "Tarnwick"}


def test_a_list_ends_at_another_code_at_a_profile_and_at_what_is_the_creators_own() -> None:
    heading = "Use code LAKE10 for 10% off on all of these:\n"
    ends = (
        "Osprell, code OTHER5: https://osprell.com/c4",
        "Instagram: https://instagram.com/lakesidediary\nhttps://osprell.com",
        "My own shop: https://osprell.com",
        "\n\nA long walk around the lake, on which we saw many a bird and even a beaver: https://osprell.com",
    )
    for end in ends:
        found = codes(f"{heading}{LIST}\n{end}")
        assert found.pop("Osprell", None) != "LAKE10"
        assert found == dict.fromkeys(("Brindlewick", "Moosquell", "Tarnwick"), "LAKE10")


@pytest.mark.parametrize(
    "line",
    [
        "10% off everything at Brindlewick with code LAKE10!",
        "10% off all orders with code LAKE10!",
        "Use the link below and code LAKE10 for 10% off any order:",
    ],
)
def test_a_code_for_one_shop_is_not_that_of_the_links_below(line: str) -> None:
    text = f"{line}\nhttps://brindlewick.com\nTent: https://moosquell.com"
    assert codes(text) == {"Brindlewick": "LAKE10"}
