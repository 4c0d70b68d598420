"""Lines with a brand and a code that bears the channel's name, without a link and under no heading."""

import pytest

from import_worker.detector.context import ChannelContext
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import read_document
from import_worker.detector.offer_lines import offer_line_claims
from import_worker.detector.reading import Reading


def offers(text: str) -> list[tuple[str, str | None]]:
    document = read_document(text, "description", bundled_directory())
    reading = Reading(document, bundled_directory(), ChannelContext(name="Lakeside Diary"))
    return [(claim.found.name, claim.code) for claim in offer_line_claims(reading)]


@pytest.mark.parametrize(
    ("line", "brand", "code"),
    [
        ("👕 Quillbarrow Sails - 10% off w/ LAKESIDE10", "Quillbarrow Sails", "LAKESIDE10"),
        ("Cadeira: Quillbarrow, cupom LAKESIDE 12%", "Quillbarrow", "LAKESIDE"),
        ("Quillbarrow ➡ 4 miesiące gratis z LAKESIDE", "Quillbarrow", "LAKESIDE"),
        ("LAKESIDE15 → Quillbarrow", "Quillbarrow", "LAKESIDE15"),
    ],
)
def test_a_line_with_the_creators_code_names_its_brand(line: str, brand: str, code: str) -> None:
    assert offers(f"A day out.\n\n{line}\n\nSee you.") == [(brand, code)]


@pytest.mark.parametrize(
    "line",
    [
        "Artist: LAKESIDE",
        "Instagram: lakeside96",
        "Gamertag: lakeside96",
        "My oar course - 10% off with LAKESIDE10",
        "Rowing ebook, LAKESIDE10",
        "REFERRAL CODE - LAKESIDE100",
        "Written & Performed - LAKESIDE03",
        "Fortnite item shop: LAKESIDE10",
        "Welcome to LAKESIDE everyone",
        "Quillbarrow - 10% off with SUMMER10",
        "Quillbarrow https://quillbarrow.com 10% with LAKESIDE10",
    ],
)
def test_own_things_profiles_credits_and_public_codes_name_none(line: str) -> None:
    assert offers(f"A day out.\n\n{line}\n\nSee you.") == []
