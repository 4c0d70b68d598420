"""What pages show of answers: tables, their order, their addresses, and what the figures rest on."""

import json
from typing import Any

import pytest

from auth_service.domain.explore import columns, pages, sponsor_tables, youtuber_tables
from auth_service.domain.explore.calls import ToolCall, ToolResult
from auth_service.domain.explore.columns import https, sponsor_path, youtuber_path
from auth_service.domain.explore.labels import Labels
from auth_service.domain.explore.pages import TableLocation, section
from auth_service.domain.explore.results import PageResults
from auth_service.domain.explore.tables import Order, TableSpec
from servicekit.errors import InvalidInput
from tests.fakes import tool_results, view_results

LOCATION = TableLocation(
    "/explore/sponsors/nordvpn", "NordVPN", {"sponsor": "nordvpn"}, has_own_pages=True
)
EVERY_TABLE = [
    *sponsor_tables.OF_SPONSOR,
    *youtuber_tables.OF_YOUTUBER,
    sponsor_tables.RANKED,
    sponsor_tables.COMPARED,
    sponsor_tables.TRENDS,
    sponsor_tables.FOUND,
    youtuber_tables.FOUND,
]


def result(content: Any) -> ToolResult:
    return ToolResult(tool_results.text(content))


def test_a_preview_has_the_first_rows_and_leads_to_its_own_page() -> None:
    found = section(
        sponsor_tables.YOUTUBERS, LOCATION, result(tool_results.youtubers(12)), is_preview=True
    )
    assert len(found.rows) == 10
    assert found.more == ("/explore/sponsors/nordvpn/youtubers", "All creators")
    assert found.csv_path == "/explore/sponsors/nordvpn/youtubers.csv"
    assert found.prompt.startswith("Which creators worked with NordVPN")
    assert found.call == ToolCall("sponsor.youtubers", {"sponsor": "nordvpn", "limit": 50})


def test_the_next_page_keeps_the_order() -> None:
    order = Order("views")
    content = tool_results.youtubers(50, "more&more")
    found = section(sponsor_tables.YOUTUBERS, LOCATION, result(content), order)
    assert found.more is not None
    assert found.more[0].endswith("/youtubers?sort=views&cursor=more%26more")
    assert found.call.arguments["sort"] == "views"
    assert found.csv_path.endswith("/youtubers.csv?sort=views")


def test_a_column_that_the_tool_cannot_sort_by_is_sorted_here_both_ways() -> None:
    content = result(tool_results.youtubers(3))
    falling = section(sponsor_tables.YOUTUBERS, LOCATION, content, Order("youtuber"))
    rising = section(sponsor_tables.YOUTUBERS, LOCATION, content, Order("youtuber", ascending=True))
    names = [row["youtuber"]["name"] for row in falling.rows]
    assert names == ["Creator 3", "Creator 2", "Creator 1"]
    assert [row["youtuber"]["name"] for row in rising.rows] == names[::-1]
    headings = {heading.column.key: heading for heading in falling.headings}
    assert headings["youtuber"].direction == "descending"
    assert headings["youtuber"].href.endswith("?sort=youtuber&order=asc")
    assert "sort" not in falling.call.arguments


def test_a_preview_of_steps_has_the_newest_and_leads_to_all_of_them_in_that_order() -> None:
    content = view_results.sponsor_stats()
    found = section(sponsor_tables.SERIES, LOCATION, result(content), is_preview=True)
    starts = [row["start"] for row in found.rows]
    assert starts == [str(day) for day in view_results.MONTHS[:-11:-1]]
    assert found.more == ("/explore/sponsors/nordvpn/series?sort=start", "All steps")


def test_a_ranking_is_made_anew_by_the_headings_of_its_metrics() -> None:
    location = TableLocation(
        "/explore/rankings", "", {"category": "vpn"}, {"category": "vpn"}, metric="views"
    )
    found = section(sponsor_tables.RANKED, location, result(view_results.sponsor_top()))
    headings = {heading.column.key: heading for heading in found.headings}
    assert headings["youtubers"].href == "/explore/rankings?category=vpn&metric=creators"
    assert headings["share"].href == "/explore/rankings?category=vpn&sort=share"
    assert found.ranked_by == "views"
    directions = {key: heading.direction for key, heading in headings.items()}
    assert [key for key in directions if directions[key] != "none"] == ["views"]


def test_a_ranking_says_the_sums_of_which_its_shares_are_parts() -> None:
    location = TableLocation("/explore/rankings", "", {}, {}, metric="videos")
    found = section(sponsor_tables.RANKED, location, result(view_results.sponsor_top()))
    assert found.summary == (
        "Of 1,587 sponsorships in 1,490 videos of 604 creators, with 271,000,000 views."
    )


def test_trends_say_the_two_periods_that_they_compare() -> None:
    location = TableLocation("/explore/categories/vpn", "", {"category": "vpn"})
    content = view_results.sponsor_trends()
    content["period"] = {"from_date": "2024-09-15", "to_date": "2024-12-13"}
    content["previous_period"] = {"from_date": "2024-06-17", "to_date": "2024-09-14"}
    found = section(sponsor_tables.TRENDS, location, result(content))
    assert found.summary == (
        "15 Sep 2024 to 13 Dec 2024, compared with 17 Jun 2024 to 14 Sep 2024."
    )


def test_links_to_brands_and_creators_keep_the_period() -> None:
    location = TableLocation(
        "/explore/rankings", "", {}, {"since": "2020-01-01", "category": "vpn"}
    )
    found = section(sponsor_tables.RANKED, location, result(view_results.sponsor_top()))
    brand = next(column for column in found.spec.columns if column.key == "sponsor")
    assert found.href(brand, found.rows[0]) == "/explore/sponsors/nordvpn?since=2020-01-01"
    video = columns.video()
    row = {"video": {"url": "https://www.youtube.com/watch?v=1"}}
    assert found.href(video, row) == "https://www.youtube.com/watch?v=1"


def test_a_table_whose_tool_takes_no_period_is_of_all_time_and_says_so() -> None:
    period = {"since": "2020-01-01"}
    location = pages.sponsor_location("nordvpn", "NordVPN", period)
    of_period = section(sponsor_tables.YOUTUBERS, location, result(tool_results.youtubers(1)))
    of_all_time = section(sponsor_tables.SIMILAR, location, result({"sponsors": []}))
    assert of_period.call.arguments["since"] == "2020-01-01"
    assert of_period.prompt.startswith(
        "Which creators worked with NordVPN from 1 Jan 2020 to today"
    )
    assert of_period.csv_path.endswith("/youtubers.csv?since=2020-01-01")
    assert of_all_time.call.arguments == {"sponsor": "nordvpn", "limit": 50}
    assert (of_all_time.summary, of_all_time.period) == ("Of all time, whatever the period.", {})
    assert of_all_time.csv_path.endswith("/similar.csv")
    assert location.file_name(sponsor_tables.SIMILAR) == "nordvpn-similar.csv"


def test_only_rows_shown_are_sorted_where_there_are_further_ones() -> None:
    first = result(tool_results.youtubers(3, "more"))
    for order, cursor, content, expected in (
        (Order("youtuber"), "", first, True),
        (Order("youtuber"), "more", result(tool_results.youtubers(3)), True),
        (Order("youtuber"), "", result(tool_results.youtubers(3)), False),
        (Order("views"), "", first, False),
        (Order(), "", first, False),
    ):
        found = section(sponsor_tables.YOUTUBERS, LOCATION, content, order, cursor)
        assert found.sorts_shown_only is expected
        assert found.csv_path.endswith(".csv") is (expected or not order.key)


def test_rows_without_a_value_come_last_whatever_the_direction() -> None:
    rows = [{"start": None}, {"start": "2024-01-01"}, {"start": "2025-01-01"}]
    for ascending in (True, False):
        ordered = sponsor_tables.SERIES.ordered(rows, Order("start", ascending=ascending))
        assert ordered[-1]["start"] is None


def test_an_unknown_column_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidInput, match="videos"):
        sponsor_tables.YOUTUBERS.ordered([], Order("x"))


def test_a_part_without_a_result_says_why() -> None:
    found = section(sponsor_tables.SIMILAR, LOCATION, "There was no answer.", is_preview=True)
    assert (found.rows, found.note, found.more) == ((), "There was no answer.", None)


def test_a_brands_page_has_every_table_its_view_and_what_the_figures_rest_on() -> None:
    main, included = pages.sponsor_calls("nordvpn", {})
    known = tool_results.results()
    results = PageResults(
        result(known[main.tool]),
        {name: result(known[call.tool]) for name, call in included.items()},
        {},
        counted=True,
    )
    page = pages.sponsor_page("nordvpn", {}, results, Labels())
    assert [item.spec.name for item in page.sections] == [
        "youtubers", "videos", "similar", "codes", "series", "kinds",
    ]  # fmt: skip
    assert page.view is not None
    assert page.view.name == "sponsor-stats"
    assert page.coverage
    assert len(page.sections[4].rows) == 10
    assert page.sections[5].rows


@pytest.mark.parametrize(
    ("status", "until", "line"),
    [
        ("active", None, "active"),
        ("lapsed", "2024-05-01", "lapsed by 1 May 2024"),
        (
            "unknown",
            "2023-05-10",
            "unknown, as too few videos of its creators after 10 May 2023 were looked at",
        ),
    ],
)
def test_a_status_has_its_day(status: str, until: str | None, line: str) -> None:
    main, _ = pages.sponsor_calls("nordvpn", {})
    stats = json.loads(result(tool_results.results()[main.tool]).text)
    stats["sponsor"] |= {"status": status, "known_until": until, "last_seen": "2023-05-10"}
    results = PageResults(result(stats), {}, {}, counted=True)
    page = pages.sponsor_page("nordvpn", {}, results, Labels())
    assert f"Status: {line}; last sponsored video 10 May 2023" in page.lines


def test_a_brands_page_names_its_category_and_country() -> None:
    main, _ = pages.sponsor_calls("nordvpn", {})
    stats = json.loads(result(tool_results.results()[main.tool]).text)
    stats["sponsor"] |= {"domain": "nordvpn.com", "category": "security", "country": "PA"}
    results = PageResults(result(stats), {}, {}, counted=True)
    page = pages.sponsor_page("nordvpn", {}, results, Labels({"security": "VPN & security"}))
    assert page.lines[0] == "nordvpn.com · VPN & security · Panama"
    assert ("Brands in VPN & security", "/explore/categories/security") in page.links


@pytest.mark.parametrize(
    ("count", "source", "line"),
    [
        (1, "youtube-api", "the 1 video of the channel that was looked at. Source: YouTube API."),
        (1200, None, "the 1,200 videos of the channel that were looked at."),
    ],
)
def test_a_channels_coverage_counts_its_videos_and_names_their_source(
    count: int, source: str | None, line: str
) -> None:
    coverage = {"videos_scanned": count, "first_video": None, "last_video": None, "source": source}
    assert pages.channel_coverage(coverage) == [f"These figures speak of {line}"]


def test_remarks_of_a_view_are_in_the_words_of_the_page() -> None:
    found = pages.view_result({"sponsors": [{"not_compared": "It begins on 2024-05-01."}], "n": 1})
    assert found == {"sponsors": [{"not_compared": "It begins on 1 May 2024."}], "n": 1}


def test_a_creators_page_has_every_table() -> None:
    main, included = pages.youtuber_calls("@marlene", {})
    known = tool_results.results()
    missing = dict.fromkeys(included, "Not in time.")
    results = PageResults(result(known[main.tool]), {}, missing, counted=False)
    page = pages.youtuber_page("@marlene", {}, results, Labels())
    notes = {item.spec.name: item.note for item in page.sections}
    assert notes["sponsors"] == notes["videos"] == notes["prospects"] == "Not in time."
    assert main.arguments == {"youtuber": "@marlene"}


@pytest.mark.parametrize("spec", EVERY_TABLE, ids=lambda spec: f"{spec.tool} {spec.name}")
def test_the_first_column_of_each_table_is_a_heading_of_its_csv(spec: TableSpec) -> None:
    assert len(set(spec.header)) == len(spec.columns)
    assert set(spec.orders) <= set(spec.header)
    spec.prompt.format(subject="NordVPN")


def test_a_ranking_has_a_cell_for_each_column() -> None:
    rows = sponsor_tables.RANKED.rows(view_results.sponsor_top())
    cells = sponsor_tables.RANKED.cells(rows[0])
    row = dict(zip(sponsor_tables.RANKED.csv_header, cells, strict=True))
    assert row.pop("domain") is None
    assert None not in row.values()


@pytest.mark.parametrize("spec", EVERY_TABLE, ids=lambda spec: f"{spec.tool} {spec.name}")
def test_a_csv_has_ids_of_the_brands_creators_and_videos_that_it_names(spec: TableSpec) -> None:
    ids = {
        "sponsor": {"slug", "domain"},
        "youtuber": {"channel_id", "handle"},
        "title": {"video_id"},
    }
    for key, expected in ids.items():
        assert key not in spec.header or expected <= set(spec.csv_header)
    assert len(set(spec.csv_header)) == len(spec.csv_header)


def test_a_csv_has_handles_without_the_sign_that_begins_a_formula() -> None:
    table = sponsor_tables.YOUTUBERS
    row = table.rows(tool_results.results()[table.tool])[0]
    for handle, cell in (("@nordlicht", "nordlicht"), (None, "")):
        row["youtuber"]["handle"] = handle
        assert dict(zip(table.csv_header, table.cells(row), strict=True))["handle"] == cell


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/explore/sponsors/nordvpn", "nordvpn-youtubers.csv"),
        ("/explore/youtubers/@MKBHD", "mkbhd-youtubers.csv"),
        ("/explore/sponsors/a%22%0D%2F..%2Fb", "a-..-b-youtubers.csv"),
        ("/explore/sponsors/%E6%97%A5", "youtubers.csv"),
        ("/explore", "explore-youtubers.csv"),
    ],
)
def test_a_csv_is_named_by_its_page_and_table(path: str, name: str) -> None:
    assert TableLocation(path, "", {}).file_name(sponsor_tables.YOUTUBERS) == name


def test_a_csv_is_named_by_what_its_page_filters_by() -> None:
    filters = {"category": "tech", "since": "2023-01-01"}
    location = TableLocation("/explore/rankings", "", {}, filters)
    assert (
        location.file_name(sponsor_tables.RANKED)
        == "rankings-sponsors-category-tech-since-2023-01-01.csv"
    )


def test_slugs_stay_one_segment_of_an_address() -> None:
    assert sponsor_path("a/../b?c#d") == "/explore/sponsors/a%2F..%2Fb%3Fc%23d"
    assert youtuber_path("@mkbhd") == "/explore/youtubers/@mkbhd"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "http://a.example", "", None, "//a.example"]
)
def test_only_addresses_over_tls_are_linked_to(url: str | None) -> None:
    assert https(url) is None
