"""The most active sponsors, against the example catalogue."""

from typing import Any

import pytest

from servicekit.errors import InvalidInput
from tests.integration.catalog_service.conftest import Catalog

EARLY = {"from_date": "2023-01-01", "to_date": "2023-02-28"}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [("Azura VPN", 3, 2, 3000), ("BrightMeal", 2, 2, 2100), ("Dexter Games", 2, 2, 4700)]),
        (EARLY, [("Azura VPN", 3, 2, 3000), ("BrightMeal", 2, 2, 2100)]),
        ({"from_date": "2023-04-01"}, [("Dexter Games", 2, 2, 4700)]),
        ({"metric": "views", "limit": 1}, [("Dexter Games", 2, 2, 4700)]),
        ({"category": "gaming"}, [("Dexter Games", 2, 2, 4700)]),
        ({"category": "security", **EARLY}, [("Azura VPN", 3, 2, 3000)]),
        ({"content_category": "howto-style"}, [("BrightMeal", 1, 1, 100)]),
        ({"country": "DE", "category": "food"}, [("BrightMeal", 1, 1, 2000)]),
        ({"min_confidence": 0.95}, [("Azura VPN", 1, 1, 1000)]),
        ({"category": "pets"}, []),
        ({"category": "pets", "country": "DE"}, []),
    ],
)
async def test_rankings(
    catalog: Catalog, filters: dict[str, Any], expected: list[tuple[str, int, int, int]]
) -> None:
    response = await catalog.call("TopSponsors", **filters)
    listed = [
        (sponsor.sponsor.name, sponsor.videos, sponsor.youtubers, sponsor.views)
        for sponsor in response.sponsors
    ]
    assert listed == expected
    figures = [getattr(sponsor, filters.get("metric", "videos")) for sponsor in response.sponsors]
    assert [sponsor.rank for sponsor in response.sponsors] == [
        1 + sum(other > figure for other in figures) for figure in figures
    ]


@pytest.mark.parametrize("filters", [{}, EARLY | {"to_date": "2023-12-31"}])
async def test_totals_cover_everything_that_matches(
    catalog: Catalog, filters: dict[str, Any]
) -> None:
    response = await catalog.call("TopSponsors", limit=1, **filters)
    totals = response.totals
    assert (totals.videos, totals.youtubers, totals.views) == (6, 3, 7_800)
    assert totals.sponsorships == 7
    assert response.sponsors[0].share == 3 / 7


@pytest.mark.parametrize(
    ("metric", "share"), [("videos", 3 / 7), ("youtubers", 2 / 3), ("views", 4_700 / 7_800)]
)
async def test_a_sponsor_has_its_share_of_what_it_is_ranked_by(
    catalog: Catalog, metric: str, share: float
) -> None:
    first = (await catalog.call("TopSponsors", metric=metric, limit=1)).sponsors[0]
    assert first.metric_share == share
    assert first.share == first.videos / 7


async def test_a_rank_by_views_that_few_videos_make_is_remarked_on(catalog: Catalog) -> None:
    by_views = await catalog.call("TopSponsors", metric="views")
    assert by_views.note == (
        "Dexter Games has 60% of all views by 2 videos: look at what `sponsor.recentVideos` shows before you rely on it. "
        "`min_confidence` leaves out what the detector is unsure of."
    )
    assert not (await catalog.call("TopSponsors")).HasField("note")
    sure = await catalog.call("TopSponsors", metric="views", min_confidence=0.55)
    assert "`min_confidence`" not in sure.note


async def test_a_category_that_was_not_named_by_its_id_or_name_is_given_with_the_ranking(
    catalog: Catalog,
) -> None:
    ranked = await catalog.call("TopSponsors", category="VPN", content_category="tech")
    assert ranked.note.endswith(
        "`category` VPN is read as security. `content_category` tech is read as science-technology."
    )
    for name in ("security", "Tech"):
        assert not (await catalog.call("TopSponsors", category=name)).HasField("note")


async def test_the_open_period_is_given_by_its_days(catalog: Catalog) -> None:
    response = await catalog.call("TopSponsors")
    assert (response.period.from_date, response.period.to_date) == ("2023-01-10", "2023-11-30")


async def test_ranks_go_on_over_pages(catalog: Catalog) -> None:
    first = await catalog.call("TopSponsors", limit=2, **EARLY)
    assert not first.HasField("next_cursor")
    first = await catalog.call("TopSponsors", limit=2)
    second = await catalog.call("TopSponsors", limit=2, cursor=first.next_cursor)
    assert [(sponsor.rank, sponsor.sponsor.name) for sponsor in second.sponsors] == [
        (2, "Dexter Games")
    ]
    assert [sponsor.rank for sponsor in first.sponsors] == [1, 2]
    stats = await catalog.call("GetSponsorStats", sponsor="Dexter Games")
    assert stats.share_of_voice.rank == 1, "of its category"


@pytest.mark.parametrize(
    ("category", "sponsors", "youtubers", "videos", "parent"),
    [
        ("security", 1, 2, 3, "tech"),
        ("tech", 2, 2, 3, ""),
        ("crypto", 1, 0, 0, "money"),
        ("pets", 0, 0, 0, "lifestyle"),
    ],
)
async def test_categories_of_sponsors_are_counted(
    catalog: Catalog, category: str, sponsors: int, youtubers: int, videos: int, parent: str
) -> None:
    response = await catalog.call("ListCategories", scope="sponsor")
    (item,) = (item for item in response.categories if item.id == category)
    assert (item.sponsors, item.youtubers, item.videos, item.parent) == (
        sponsors, youtubers, videos, parent,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kinds", "food", "howto"),
    [
        (["free_product"], (1, 1, 1, 1, 1), (1, 1, 1, 1, 1)),
        (["paid_sponsorship", "promo_code"], (1, 2, 2, 2, 0), (1, 1, 1, 1, 0)),
        (["affiliate"], (1, 0, 0, 0, 0), (0, 1, 0, 0, 0)),
    ],
)
async def test_categories_are_counted_by_kinds(
    catalog: Catalog, kinds: list[str], food: tuple[int, ...], howto: tuple[int, ...]
) -> None:
    response = await catalog.call("ListCategories", kinds=kinds)
    assert list(response.kinds) == kinds
    counts = {
        category.id: (
            category.sponsors,
            category.youtubers,
            category.videos,
            category.sponsorships,
            category.free_products,
        )
        for category in response.categories
    }
    assert (counts["food"], counts["howto-style"]) == (food, howto)


async def test_categories_of_content_are_counted(catalog: Catalog) -> None:
    response = await catalog.call("ListCategories")
    counts = {
        category.id: (
            category.sponsors,
            category.youtubers,
            category.videos,
            category.sponsorships,
            category.free_products,
        )
        for category in response.categories
        if category.scope == "content"
    }
    assert counts["science-technology"] == (3, 2, 3, 4, 0)
    assert counts["gaming"] == (2, 1, 2, 2, 0)
    assert counts["howto-style"] == (1, 1, 2, 2, 1)
    assert counts["music"] == (0, 0, 0, 0, 0)
    assert len(counts) == 18


@pytest.mark.parametrize("word", ["vpn", "security", "VPN & Security"])
async def test_one_category_is_found_by_id_name_or_synonym(catalog: Catalog, word: str) -> None:
    response = await catalog.call("ListCategories", scope="sponsor", category=word)
    assert [item.id for item in response.categories] == ["security"]


async def test_a_word_that_means_no_category_is_refused(catalog: Catalog) -> None:
    with pytest.raises(InvalidInput, match="'zzz' is no sponsor or content category"):
        await catalog.call("ListCategories", category="zzz")
