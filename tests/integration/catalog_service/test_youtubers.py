"""Answers about youtubers, against the example catalogue."""

from typing import Any

import pytest

from tests.integration.catalog_service.conftest import Catalog


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"search": "ada love"}, ["Ada Löve"]),
        ({"search": "adaloeve"}, ["Ada Löve"]),
        ({"search": "bob coks"}, ["Bob Cooks"]),
        ({}, ["Ada Löve", "Bob Cooks", "Cyd Plays", "Dan Daily"]),
        ({"sort": "subscribers"}, ["Ada Löve", "Dan Daily", "Bob Cooks", "Cyd Plays"]),
        ({"sort": "recent"}, ["Ada Löve", "Cyd Plays", "Bob Cooks", "Dan Daily"]),
        ({"sort": "name", "country": "DE"}, ["Ada Löve", "Cyd Plays", "Dan Daily"]),
        ({"category": "science"}, ["Ada Löve", "Dan Daily"]),
        ({"min_subscribers": 100_000, "max_subscribers": 900_000}, ["Bob Cooks", "Dan Daily"]),
        ({"sponsored_by": "azuravpn.com"}, ["Ada Löve", "Cyd Plays"]),
        ({"not_sponsored_by": "Azura VPN", "category": "howto-style"}, ["Bob Cooks"]),
        ({"sponsored_by": "azura-vpn", "not_sponsored_by": "brightmeal"}, ["Cyd Plays"]),
        ({"sponsored_by_category": "food"}, ["Ada Löve", "Bob Cooks"]),
        ({"sponsored_by_category": "tech", "max_subscribers": 900_000}, ["Cyd Plays"]),
    ],
)
async def test_search(catalog: Catalog, filters: dict[str, Any], expected: list[str]) -> None:
    answer = await catalog.ask("SearchYoutubers", **filters)
    assert [card.name for card in answer.youtubers] == expected


async def test_a_youtuber_is_described_with_coverage_and_latest_sponsors(catalog: Catalog) -> None:
    answer = await catalog.ask("GetYoutuber", youtuber="@adaloeve")
    card = answer.youtuber
    assert (card.sponsored_videos, card.sponsors) == (3, 3)
    assert (card.first_sponsored, card.last_sponsored) == ("2023-01-10", "2023-11-30")
    coverage = card.coverage
    assert (coverage.videos_scanned, coverage.first_video, coverage.last_video) == (
        4, "2023-01-10", "2023-11-30",
    )  # fmt: skip
    assert coverage.source == "sample"
    assert coverage.last_import == "2024-01-01T00:00:00Z"


async def test_a_channel_that_comes_from_a_file_has_no_day_of_import(catalog: Catalog) -> None:
    """Neither loading nor correcting it is a look at the channel."""
    answer = await catalog.ask("GetYoutuber", youtuber="bob")
    assert answer.youtuber.coverage.videos_scanned == 3
    assert not answer.youtuber.coverage.HasField("last_import")


async def test_latest_sponsors_come_with_the_status_of_the_relation(catalog: Catalog) -> None:
    answer = await catalog.ask("GetYoutuber", youtuber="@adaloeve")
    assert [(sponsor.sponsor.name, sponsor.status) for sponsor in answer.latest_sponsors] == [
        ("Dexter Games", "active"),
        ("Azura VPN", "lapsed"),
        ("BrightMeal", "lapsed"),
    ]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"sort": "videos"}, [("Azura VPN", 2, "ADA"), ("BrightMeal", 1, ""), ("Dexter Games", 1, "")]),
        ({"sort": "views", "limit": 1}, [("Dexter Games", 1, "")]),
        ({"kind": "promo_code"}, [("Azura VPN", 1, "ADA")]),
        ({"min_confidence": 0.9}, [("BrightMeal", 1, ""), ("Azura VPN", 1, "ADA")]),
        ({"from_date": "2023-06-01"}, [("Dexter Games", 1, "")]),
    ],
)  # fmt: skip
async def test_sponsors_of_a_youtuber(
    catalog: Catalog, filters: dict[str, Any], expected: list[tuple[str, int, str]]
) -> None:
    answer = await catalog.ask("ListYoutuberSponsors", youtuber="Ada Love", **filters)
    told = [
        (sponsor.sponsor.name, sponsor.videos, ",".join(sponsor.codes))
        for sponsor in answer.sponsors
    ]
    assert told == expected
    assert answer.coverage.videos_scanned == 4


async def test_figures_compare_sponsored_with_other_videos(catalog: Catalog) -> None:
    answer = await catalog.ask("GetYoutuberStats", youtuber="bob", granularity="month")
    assert (answer.videos, answer.sponsored_videos, answer.sponsors) == (3, 2, 1)
    assert answer.sponsored_share == pytest.approx(2 / 3)
    assert not answer.views.HasField("ratio")
    assert answer.views.reason.endswith("in all years together there are 2 and 1.")
    assert [(p.start, p.videos, p.sponsored_videos) for p in answer.series] == [
        ("2023-01-01", 1, 1),
        ("2023-02-01", 1, 1),
        ("2023-03-01", 1, 0),
    ]
    assert [(part.key, part.name, part.share) for part in answer.by_category] == [
        ("food", "Food & drink", 1.0)
    ]


async def test_figures_fill_the_holes_of_a_period(catalog: Catalog) -> None:
    answer = await catalog.ask("GetYoutuberStats", youtuber="ada", granularity="quarter")
    assert (answer.period.from_date, answer.period.to_date) == ("2023-01-10", "2023-11-30")
    assert [(p.start, p.videos, p.sponsored_videos) for p in answer.series] == [
        ("2023-01-01", 2, 2),
        ("2023-04-01", 1, 0),
        ("2023-07-01", 0, 0),
        ("2023-10-01", 1, 1),
    ]


async def test_figures_of_an_unsponsored_youtuber(catalog: Catalog) -> None:
    answer = await catalog.ask("GetYoutuberStats", youtuber="dan")
    assert (answer.sponsored_share, answer.sponsors) == (0.0, 0)
    for field in ("sponsored_median", "other_median", "ratio"):
        assert not answer.views.HasField(field)
    assert answer.views.reason.endswith("in all years together there are 0 and 1.")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [("2023-11-30", 1), ("2023-05-20", 0), ("2023-02-15", 2), ("2023-01-10", 1)]),
        ({"sponsored": False}, [("2023-05-20", 0)]),
        ({"sponsored": True, "min_confidence": 0.85}, [("2023-02-15", 1), ("2023-01-10", 1)]),
        ({"from_date": "2023-02-01", "to_date": "2023-05-20"}, [("2023-05-20", 0), ("2023-02-15", 2)]),
    ],
)  # fmt: skip
async def test_videos_of_a_youtuber(
    catalog: Catalog, filters: dict[str, Any], expected: list[tuple[str, int]]
) -> None:
    answer = await catalog.ask("ListYoutuberVideos", youtuber="ada", **filters)
    told = [(video.video.published_at, len(video.sponsorships)) for video in answer.videos]
    assert told == expected


async def test_prospects_come_from_youtubers_who_share_sponsors(catalog: Catalog) -> None:
    answer = await catalog.ask("ListProspects", youtuber="bob")
    told = [
        (prospect.sponsor.name, prospect.score, prospect.similar_youtubers)
        for prospect in answer.prospects
    ]
    # One peer of weight 1, where two of three sponsored youtubers have each: (1 - 2/3) / (1 + 2).
    ninth = pytest.approx(1 / 9)
    assert told == [("Dexter Games", ninth, 1), ("Azura VPN", ninth, 1)]
    first = answer.prospects[0]
    assert [example.name for example in first.examples] == ["Ada Löve"]
    assert "1 of the 1" in first.reason
    assert (first.expected_youtubers, first.support) == (pytest.approx(2 / 3), "one creator")
    assert "share sponsors" in answer.basis


async def test_prospects_weigh_youtubers_by_how_alike_they_are(catalog: Catalog) -> None:
    answer = await catalog.ask("ListProspects", youtuber="cyd")
    assert [(prospect.sponsor.name, prospect.score) for prospect in answer.prospects] == [
        ("BrightMeal", pytest.approx(1 / 9))
    ]


async def test_prospects_of_the_unsponsored_come_from_like_profiles(catalog: Catalog) -> None:
    answer = await catalog.ask("ListProspects", youtuber="dan", category="tech")
    assert [(prospect.sponsor.name, prospect.score) for prospect in answer.prospects] == [
        ("Azura VPN", pytest.approx(1 / 9))
    ]
    assert "content" in answer.basis


async def test_prospects_may_be_limited_to_sponsors_seen_lately(catalog: Catalog) -> None:
    answer = await catalog.ask("ListProspects", youtuber="dan", active_since="2023-06-01")
    assert [prospect.sponsor.name for prospect in answer.prospects] == ["Dexter Games"]
