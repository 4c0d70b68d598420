"""The texts of cells."""

import pytest

from auth_service.domain.explore import columns, sponsor_tables
from auth_service.domain.explore.labels import Labels, in_page_words
from auth_service.web.explore_cells import Cells


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.125, "13%"),
        (0.135, "14%"),
        (-0.125, "-13%"),
        (0.0125, "1.3%"),
        (0.0625, "6.3%"),
        (1, "100%"),
        (0, "0.0%"),
    ],
)
def test_halves_of_a_percent_are_rounded_up_as_in_views(share: float, text: str) -> None:
    assert Cells(Labels()).text(columns.share("share", "Share"), {"share": share}) == text


def test_categories_and_countries_have_their_names() -> None:
    cells = Cells(Labels({"security": "VPN & security"}))
    row = {"name": "NordVPN", "slug": "nordvpn", "category": "security", "country": "PA"}
    assert cells.note(columns.brand(""), row) == "VPN & security"
    assert cells.note(columns.brand(""), {**row, "category": None}) == ""
    country = columns.Column("country", "Country", columns.at("country"), "country")
    assert cells.text(country, row) == "Panama"
    assert cells.text(country, {"country": "XX"}) == "XX"
    assert cells.text(columns.words("status", "Status"), {"status": "unseen"}) == (
        "no sponsorship known"
    )


def test_a_video_has_the_words_of_its_format_and_its_id_for_an_unknown_title_on_pages_alone() -> (
    None
):
    cells, column = Cells(Labels()), columns.video()
    video = {"title": None, "video_id": "dQw4w9WgXcQ", "url": None, "format": "longform"}
    row = {"video": video}
    assert cells.note(column, row) == "long video"
    assert cells.text(column, row) == "dQw4w9WgXcQ"
    assert column.value(row) is None
    named = {"video": {**video, "title": "Night market", "format": "unknown"}}
    assert (cells.text(column, named), column.value(named)) == ("Night market", "Night market")
    assert cells.note(column, named) == ""


def test_evidence_without_its_words_is_the_reason_and_the_link() -> None:
    cells, column = Cells(Labels()), columns.evidence()
    reason = "call to act on the creator's link; known brand"
    row = {"evidence": {"excerpt": None, "reason": reason}, "link": "https://nordvpn.com/pewdiepie"}
    assert cells.text(column, row) == reason
    assert cells.note(column, row) == "https://nordvpn.com/pewdiepie"
    quoted = {**row, "evidence": {"excerpt": "Thanks to NordVPN", "reason": reason}}
    assert (cells.text(column, quoted), cells.note(column, quoted)) == ("Thanks to NordVPN", "")
    assert [item.value(row) for item in (column, *column.ids)] == [None, reason, row["link"]]


def test_a_remark_names_the_categories_that_a_tool_has_by_id() -> None:
    cells = Cells(Labels({"instruments": "Musical instruments"}))
    message = in_page_words("No sponsorship matches `category` instruments.")
    assert cells.remark(message) == (
        "No sponsorship matches “Category of brands” Musical instruments."
    )


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            "Take a longer period, such as `since` 2023-01-01 `until` 2024-12-31.",
            "Take a longer period, such as “From” 1 Jan 2023 “To” 31 Dec 2024.",
        ),
        ("`since` is after `until`.", "“From” is after “To”."),
        ("`category.list` has them.", "the list of categories on Explore has them."),
        ("Look at what `sponsor.recentVideos` shows.", "Look at what the brand's page shows."),
        ("`names[3]` '@x' is the name of a channel", "Entry 4 '@x' is the name of a channel"),
        ("No brand matches `kinds` free_product.", "No brand matches “Kinds” free product."),
        ("Did you mean `x`? 2024-13-01 is no day.", "Did you mean x? 2024-13-01 is no day."),
    ],
)
def test_messages_of_tools_are_in_the_words_of_the_page(message: str, shown: str) -> None:
    assert in_page_words(message) == shown


def test_bars_are_of_the_column_that_a_ranking_is_by() -> None:
    cells, spec = Cells(Labels()), sponsor_tables.RANKED
    brand = next(column for column in spec.columns if column.bar)
    rows = [
        {"videos": 1, "youtubers": 4, "views": 900},
        {"videos": 50, "youtubers": 2, "views": 300},
    ]
    for ranked_by, lengths in (("views", [100, 33]), ("youtubers", [100, 50]), ("", [2, 100])):
        assert [cells.bar(spec, brand, row, rows, ranked_by) for row in rows] == lengths
