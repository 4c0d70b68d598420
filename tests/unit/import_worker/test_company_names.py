"""Names that are a company's by their words."""

import pytest

from import_worker.detector import detect
from import_worker.detector.company_names import is_company_name
from import_worker.detector.context import channel_context

DIARY = channel_context("Lakeside Diary", [])


@pytest.mark.parametrize(
    "name",
    ["Brindle Rental", "Hotel Brindle", "Brindle GmbH", "Toko Brindle", "ООО Бриндл", "株式会社ブリンドル", "Brindle Bakery"],
)  # fmt: skip
def test_trades_kinds_of_houses_and_legal_forms_make_a_company(name: str) -> None:
    assert is_company_name(name)


@pytest.mark.parametrize(
    "name", ["Brindle", "Mary Brindle", "Rental", "Hotel", "いろいろな会社", ""]
)
def test_other_names_and_the_words_alone_do_not(name: str) -> None:
    assert not is_company_name(name)


@pytest.mark.parametrize(
    ("text", "brands"),
    [
        ("Paddle, Brindle Tiles (gifted last year)", ["Brindle Tiles"]),
        ("Paddle, Mary Brindle (gifted last year)", []),
    ],
)
def test_a_companys_name_is_enough_for_a_gift(text: str, brands: list[str]) -> None:
    assert [found.brand for found in detect("A day at the lake", text, DIARY)] == brands


@pytest.mark.parametrize(
    ("text", "brands"),
    [
        ("In this video I've partnered with Garmin for a day on the water.", ["Garmin"]),
        ("Thanks to Garmin for making this video possible.", ["Garmin"]),
        ("In this video I've partnered with Mary Brindle for a day on the water.", []),
    ],
)
def test_a_known_brand_needs_no_link_for_a_stated_partnership(text: str, brands: list[str]) -> None:
    assert [found.brand for found in detect("A day at the lake", text, DIARY)] == brands
