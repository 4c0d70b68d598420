"""Answers about youtubers, against the example catalogue."""

import re
from typing import Any

import pytest

from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import video


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
    response = await catalog.call("SearchYoutubers", **filters)
    assert [card.name for card in response.youtubers] == expected


async def test_search_counts_sponsorships_of_the_named_kinds(own_catalog: Catalog) -> None:
    await own_catalog.ingest(
        [example.video("f", "bob", "2023-03-03", 1, example.claim("azura-vpn", "free_product", 0.9))]
    )  # fmt: skip
    paid = {"kinds": ["paid_sponsorship", "promo_code", "affiliate"]}
    free = {"kinds": ["free_product"]}

    async def found(**filters: Any) -> list[str]:
        response = await own_catalog.call("SearchYoutubers", **filters)
        return [card.name for card in response.youtubers]

    assert "Bob Cooks" in await found(sponsored_by="azura-vpn")
    assert "Bob Cooks" not in await found(sponsored_by="azura-vpn", **paid)
    assert "Bob Cooks" in await found(sponsored_by="azura-vpn", **free)
    assert "Bob Cooks" not in await found(not_sponsored_by="azura-vpn")
    assert "Bob Cooks" in await found(not_sponsored_by="azura-vpn", **paid)
    assert "Bob Cooks" not in await found(sponsored_by_category="tech", **paid)
    assert "Bob Cooks" in await found(sponsored_by_category="tech", **free)
    assert "Bob Cooks" in await found(**free)
    assert "Dan Daily" not in await found(**free)


async def test_cards_separate_paid_work_from_products_for_review(own_catalog: Catalog) -> None:
    await own_catalog.ingest(
        [example.video("f", "bob", "2023-03-03", 1, example.claim("azura-vpn", "free_product", 0.9))]
    )  # fmt: skip
    bob = await own_catalog.call("GetYoutuber", youtuber="bob")
    kinds = {part.key: part.sponsorships for part in bob.by_kind}
    assert kinds["free_product"] >= 1
    assert bob.youtuber.sponsored_videos == 3
    (azura,) = (await own_catalog.call("SearchSponsors", search="azura vpn")).sponsors
    record = await own_catalog.call("GetSponsor", sponsor="azura-vpn")
    free = sum(part.videos for part in record.kinds if part.key == "free_product")
    assert free >= 1
    assert azura.paid_videos == azura.videos - free


async def test_a_youtuber_is_described_with_coverage_and_latest_sponsors(catalog: Catalog) -> None:
    response = await catalog.call("GetYoutuber", youtuber="@adaloeve")
    card = response.youtuber
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
    response = await catalog.call("GetYoutuber", youtuber="bob")
    assert response.youtuber.coverage.videos_scanned == 3
    assert not response.youtuber.coverage.HasField("last_import")


async def test_latest_sponsors_come_with_the_status_of_the_relation(own_catalog: Catalog) -> None:
    # With these, five of her videos are later than those with two of the sponsors.
    await own_catalog.ingest([video(f"a{n}", "ada", "2023-11-30", 10) for n in (5, 6, 7)])
    response = await own_catalog.call("GetYoutuber", youtuber="@adaloeve")
    assert [(sponsor.sponsor.name, sponsor.status) for sponsor in response.latest_sponsors] == [
        ("Dexter Games", "unknown"),
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
    response = await catalog.call("ListYoutuberSponsors", youtuber="Ada Love", **filters)
    listed = [
        (sponsor.sponsor.name, sponsor.videos, ",".join(sponsor.codes))
        for sponsor in response.sponsors
    ]
    assert listed == expected
    assert response.coverage.videos_scanned == 4


async def test_figures_compare_sponsored_with_other_videos(catalog: Catalog) -> None:
    response = await catalog.call("GetYoutuberStats", youtuber="bob", granularity="month")
    assert (response.videos, response.sponsored_videos, response.sponsors) == (3, 2, 1)
    assert response.sponsored_share == pytest.approx(2 / 3)
    assert not response.views.HasField("ratio")
    assert response.views.reason.endswith("in all years together there are 2 and 1.")
    assert [(p.start, p.videos, p.sponsored_videos) for p in response.series] == [
        ("2023-01-01", 1, 1),
        ("2023-02-01", 1, 1),
        ("2023-03-01", 1, 0),
    ]
    assert [(part.key, part.name, part.share) for part in response.by_category] == [
        ("food", "Food & drink", 1.0)
    ]


async def test_figures_fill_the_holes_of_a_period(catalog: Catalog) -> None:
    response = await catalog.call("GetYoutuberStats", youtuber="ada", granularity="quarter")
    assert (response.period.from_date, response.period.to_date) == ("2023-01-10", "2023-11-30")
    assert [(p.start, p.videos, p.sponsored_videos) for p in response.series] == [
        ("2023-01-01", 2, 2),
        ("2023-04-01", 1, 0),
        ("2023-07-01", 0, 0),
        ("2023-10-01", 1, 1),
    ]


async def test_figures_of_an_unsponsored_youtuber(catalog: Catalog) -> None:
    response = await catalog.call("GetYoutuberStats", youtuber="dan")
    assert (response.sponsored_share, response.sponsors) == (0.0, 0)
    for field in ("sponsored_median", "other_median", "ratio"):
        assert not response.views.HasField(field)
    assert response.views.reason.endswith("in all years together there are 0 and 1.")


@pytest.mark.parametrize(
    ("period", "note"),
    [
        (
            {"from_date": "2023-07-01", "to_date": "2023-09-30"},
            "No video of Ada Löve is known between 2023-05-20 and 2023-11-30: take a period that reaches one of these days.",
        ),
        (
            {"from_date": "2023-12-01"},
            "The known videos of Ada Löve end on 2023-11-30: take a period that begins before.",
        ),
        (
            {"to_date": "2023-01-09"},
            "The known videos of Ada Löve begin on 2023-01-10: take a period that ends after it.",
        ),
    ],
)
async def test_a_period_without_a_known_video_has_no_share_and_says_why(
    catalog: Catalog, period: dict[str, str], note: str
) -> None:
    stats = await catalog.call("GetYoutuberStats", youtuber="ada", **period)
    assert stats.videos == 0
    assert not stats.HasField("sponsored_share")
    videos = await catalog.call("ListYoutuberVideos", youtuber="ada", **period)
    sponsors = await catalog.call("ListYoutuberSponsors", youtuber="ada", **period)
    assert [response.note for response in (stats, videos, sponsors)] == [note] * 3


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
    response = await catalog.call("ListYoutuberVideos", youtuber="ada", **filters)
    listed = [(video.video.published_at, len(video.sponsorships)) for video in response.videos]
    assert listed == expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [(1, 0), (0, 0), (2, 0), (1, 0)]),
        ({"kinds": ["paid_sponsorship"]}, [(0, 1), (0, 0), (1, 1), (1, 0)]),
        ({"min_confidence": 0.85}, [(0, 1), (0, 0), (1, 1), (1, 0)]),
        ({"sponsored": False, "kinds": ["affiliate"]}, [(0, 0), (0, 2), (0, 1)]),
    ],
)
async def test_sponsorships_that_the_filters_leave_out_of_a_video_are_counted(
    catalog: Catalog, filters: dict[str, Any], expected: list[tuple[int, int]]
) -> None:
    found = await catalog.call("ListYoutuberVideos", youtuber="ada", **filters)
    counts = [(len(video.sponsorships), video.other_sponsorships) for video in found.videos]
    assert counts == expected


async def test_prospects_count_the_creators_of_a_brand_by_the_kinds_that_count(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest(
        [
            example.video("f", "cyd", "2023-06-01", 1, example.claim("brightmeal", "free_product", 0.9)),
            example.video("g", "dan", "2023-06-01", 1, example.claim("azura-vpn", "affiliate", 0.9)),
        ]
    )  # fmt: skip
    paid = await own_catalog.call("ListProspects", youtuber="dan")
    reasons = {item.sponsor.name: item.reason for item in paid.prospects}
    assert "(2 creators in all)" in reasons["BrightMeal"]
    free = await own_catalog.call("ListProspects", youtuber="bob", kinds=["free_product"])
    assert [item.sponsor.name for item in free.prospects] == []


async def test_prospects_come_from_youtubers_who_share_sponsors(catalog: Catalog) -> None:
    response = await catalog.call("ListProspects", youtuber="bob")
    listed = [
        (prospect.sponsor.name, prospect.score, prospect.similar_youtubers)
        for prospect in response.prospects
    ]
    # One peer of weight 1, where two of three sponsored youtubers have each: (1 - 2/3) / (1 + 2).
    ninth = pytest.approx(1 / 9)
    # Dexter Games was active when the data about Ada end, and Azura VPN with Cyd: of the same score the more videos first.
    assert listed == [("Azura VPN", ninth, 1), ("Dexter Games", ninth, 1)]
    first = response.prospects[0]
    assert [example.name for example in first.examples] == ["Ada Löve"]
    assert "1 of the 1" in first.reason
    assert (first.expected_youtubers, first.support) == (pytest.approx(2 / 3), "one creator")
    assert "share sponsors" in response.basis


async def test_prospects_weigh_youtubers_by_how_alike_they_are(catalog: Catalog) -> None:
    response = await catalog.call("ListProspects", youtuber="cyd")
    assert [(prospect.sponsor.name, prospect.score) for prospect in response.prospects] == [
        ("BrightMeal", pytest.approx(1 / 9))
    ]


async def test_the_reason_of_a_prospect_has_the_weighed_figures_of_its_score(
    catalog: Catalog,
) -> None:
    for prospect in (await catalog.call("ListProspects", youtuber="cyd")).prospects:
        figures = re.search(
            r"weighed by likeness ([\d.]+), where chance would give ([\d.]+) \(", prospect.reason
        )
        assert figures is not None
        weight, expected = map(float, figures.groups())
        assert prospect.score == pytest.approx((weight - expected) / (weight + 2), abs=0.01)


async def test_prospects_of_the_unsponsored_come_from_like_profiles(catalog: Catalog) -> None:
    response = await catalog.call("ListProspects", youtuber="dan", category="tech")
    assert [(prospect.sponsor.name, prospect.score) for prospect in response.prospects] == [
        ("Azura VPN", pytest.approx(1 / 9))
    ]
    assert "content" in response.basis


@pytest.mark.parametrize(
    ("facts", "traits"),
    [
        ({"subscribers": 30_000}, "size"),
        ({"country": "AT", "category": "howto-style", "subscribers": 2}, "content"),
        ({"country": "DE", "category": "howto-style", "subscribers": 2}, "content and country"),
        ({"country": "DE", "category": "howto-style", "subscribers": 30_000}, "content, country and size"),
    ],
)  # fmt: skip
async def test_prospects_name_in_what_creators_are_alike(
    empty_catalog: Catalog, facts: dict[str, Any], traits: str
) -> None:
    await empty_catalog.ingest(
        [
            *example.SPONSORS,
            example.youtuber(
                "only", "Only One", country="DE", category="howto-style", subscribers=20_000
            ),
            example.video(
                "o1", "only", "2023-01-01", 1, example.claim("azura-vpn", "affiliate", 1)
            ),
            example.youtuber("new", "New One", **facts),
        ]
    )
    found = await empty_catalog.call("ListProspects", youtuber="new")
    assert f" creators most alike by {traits}, where" in found.prospects[0].reason
    assert found.basis.endswith(f"sponsored creators of like {traits}.")


async def test_without_a_creator_alike_none_is_said_to_be(empty_catalog: Catalog) -> None:
    alone = example.youtuber("new", "New One", country="AQ", category="nonprofits-activism")
    await empty_catalog.ingest([alone])
    found = await empty_catalog.call("ListProspects", youtuber="new")
    assert not found.prospects
    assert found.basis.endswith(
        "nor is a sponsored creator known to be of like content, country or size."
    )


@pytest.mark.parametrize(("youtuber", "peers"), [("bob", True), ("dan", False)])
async def test_prospects_that_a_day_empties_say_so_and_where_the_data_end(
    catalog: Catalog, youtuber: str, *, peers: bool
) -> None:
    late = await catalog.call("ListProspects", youtuber=youtuber, active_since="2023-12-01")
    assert not late.prospects
    assert ("none with a sponsored video known on or after 2023-12-01" in late.basis) == peers
    assert late.note == (
        "`active_since` 2023-12-01 leaves nothing: the data end on 2023-11-30, and the newest sponsored video is of "
        "2023-11-30. Give an earlier day."
    )
    filtered = await catalog.call(
        "ListProspects", youtuber=youtuber, active_since="2023-11-30", category="food"
    )
    assert not filtered.prospects
    assert ("Without `active_since` there are some" in filtered.note) == (youtuber == "dan")


async def test_prospects_may_be_limited_to_sponsors_seen_lately(catalog: Catalog) -> None:
    response = await catalog.call("ListProspects", youtuber="dan", active_since="2023-06-01")
    assert [prospect.sponsor.name for prospect in response.prospects] == ["Dexter Games"]
