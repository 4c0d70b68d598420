"""Companies whose name begins as a brand of the directory are themselves, without the brand's site."""

import pytest

from import_worker.detector.candidates import Candidate, read_candidates
from import_worker.detector.context import channel_context
from import_worker.detector.directory import Directory, read_directory
from import_worker.detector.document import read_document
from import_worker.detector.reading import Reading

# Canyon and Tile are in the table of names that are also words, the other names are in no table.
BRANDS = """name,domains,aliases,category,country
Canyon,canyon.com,Canyon Bikes,other,DE
Tile,tile.com,,electronics,US
Quillbarrow,quillbarrow.com,Quill Barrow,food,GB
Fernwickvpn,fernwickvpn.com,,security,GB
Minecraft,minecraft.net,,games,US
"""


def candidates(text: str) -> list[Candidate]:
    directory: Directory = read_directory(BRANDS.splitlines())
    context = channel_context("Lakeside Diary", [text])
    body = Reading(read_document(text, "description", directory), directory, context)
    title = Reading(read_document("A day", "title", directory), directory, context)
    return read_candidates(body, title)


def named(text: str) -> list[tuple[str, str | None]]:
    return [(item.found.name, item.found.domain) for item in candidates(text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Thanks to Quillbarrow Hardware for sponsoring this video!", "Quillbarrow Hardware"),
        ("Quillbarrow Cutlery is the sponsor of this video.", "Quillbarrow Cutlery"),
        ("Use code LAKE10 for 10% off at Quillbarrow Cutlery.", "Quillbarrow Cutlery"),
        ("10% off with my link at Tile Coffee: https://bit.ly/3abcde", "Tile Coffee"),
    ],
)
def test_a_longer_name_is_another_company(text: str, name: str) -> None:
    assert named(text) == [(name, None)]


def test_a_list_names_the_longer_company_alone() -> None:
    text = "Sponsors: Zelvora, Brentwick Tools and Quillbarrow Cutlery"
    assert [name for name, _ in named(text)] == [
        "Zelvora",
        "Brentwick Tools",
        "Quillbarrow Cutlery",
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("This video is sponsored by Quillbarrow Bakery.", "Quillbarrow"),
        ("This video is sponsored by Quillbarrow Meal Kits.", "Quillbarrow"),
        ("This video is sponsored by Fernwickvpn Teams.", "Fernwickvpn"),
        ("This video is sponsored by Fernwickvpn Get 3 months free", "Fernwickvpn"),
        ("This video is sponsored by Tile Pro.", "Tile"),
        ("This video is sponsored by Tile Vision Pro.", "Tile"),
        ("This video is sponsored by Canyon Bikes.", "Canyon"),
        ("This video is sponsored by Canyon GmbH.", "Canyon"),
        ("This video is sponsored by Minecraft Dungeons.", "Minecraft"),
        ("Sponsored by Tile Links Below", "Tile"),
        ("Sponsored by Tile It Always Finds Keys", "Tile"),
        ("Sponsored by Tile Always Finds Every Key", "Tile"),
        ("SPONSORED BY TILE HOLLOW KEYS", "Tile"),
    ],
)
def test_a_brand_keeps_its_products_forms_and_calls(text: str, name: str) -> None:
    assert [found for found, _ in named(text)] == [name]


def test_a_link_to_the_brand_keeps_a_name_with_other_words_behind_it_the_brands() -> None:
    text = "This video is sponsored by Tile Bakery. Get it: https://tile.com/lake"
    assert named(text) == [("Tile", "tile.com")]
