"""Responses about several sponsors or youtubers, against the example catalogue."""

from typing import Any

import pytest

from servicekit.errors import InvalidInput, NotFound
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog


async def test_compared_sponsors_have_the_figures_of_their_statistics(catalog: Catalog) -> None:
    period = {"from_date": "2023-01-01", "to_date": "2023-03-31"}
    names = ["azuravpn.com", "BrightMeal", "dexter-games"]
    comparison = await catalog.ask("CompareSponsors", sponsors=names, **period)
    assert [item.sponsor.name for item in comparison.sponsors] == [
        "Azura VPN", "BrightMeal", "Dexter Games",
    ]  # fmt: skip
    for name, item in zip(names, comparison.sponsors, strict=True):
        stats = await catalog.ask("GetSponsorStats", sponsor=name, granularity="year", **period)
        assert (item.totals, item.previous_totals) == (stats.totals, stats.previous_totals)
        assert list(item.by_kind) == list(stats.by_kind)
        assert (item.repeat_rate, item.share_of_voice) == (stats.repeat_rate, stats.share_of_voice)
        assert comparison.period == stats.period
    ids = [item.sponsor.id for item in comparison.sponsors]
    assert [(pair.sponsor, pair.other, pair.youtubers) for pair in comparison.shared_youtubers] == [
        (ids[0], ids[1], 1),  # Ada
        (ids[0], ids[2], 2),  # Ada, Cyd
        (ids[1], ids[2], 1),  # Ada
    ]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["azura-vpn"], "must name 2 to 5, not 1"),
        (["azura-vpn"] * 6, "must name 2 to 5, not 6"),
        (["azura-vpn", "Azura"], "twice"),
    ],
)
async def test_two_to_five_different_sponsors_are_compared(
    catalog: Catalog, names: list[str], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        await catalog.ask("CompareSponsors", sponsors=names)


async def test_an_unknown_sponsor_to_compare_is_named(catalog: Catalog) -> None:
    with pytest.raises(NotFound, match="no sponsor 'nobody at all'"):
        await catalog.ask("CompareSponsors", sponsors=["azura-vpn", "nobody at all"])


async def test_shared_sponsors_are_those_of_every_youtuber(catalog: Catalog) -> None:
    shared = await catalog.ask("ListSharedSponsors", youtubers=["ada", "cyd"])
    assert [youtuber.name for youtuber in shared.youtubers] == ["Ada Löve", "Cyd Plays"]
    ada, cyd = (youtuber.id for youtuber in shared.youtubers)
    assert [
        (
            item.sponsor.name,
            item.videos,
            [
                (relation.youtuber, relation.videos, relation.last_seen)
                for relation in item.relations
            ],
        )
        for item in shared.sponsors
    ] == [
        ("Azura VPN", 3, [(ada, 2, "2023-02-15"), (cyd, 1, "2023-01-31")]),
        ("Dexter Games", 2, [(ada, 1, "2023-11-30"), (cyd, 1, "2023-04-01")]),
    ]
    three = await catalog.ask("ListSharedSponsors", youtubers=["ada", "bob", "cyd"])
    assert not three.sponsors


async def test_shared_sponsors_are_paged(catalog: Catalog) -> None:
    first = await catalog.ask("ListSharedSponsors", youtubers=["cyd", "ada"], limit=1)
    second = await catalog.ask(
        "ListSharedSponsors", youtubers=["cyd", "ada"], limit=1, cursor=first.next_cursor
    )
    names = [item.sponsor.name for page in (first, second) for item in page.sponsors]
    assert names == ["Azura VPN", "Dexter Games"]
    assert not second.HasField("next_cursor")


async def _ingest_months(catalog: Catalog) -> None:
    """BrightMeal goes from 1 to 9 videos, Azura VPN from 9 to 1, Dexter Games stays at 5."""
    videos: list[Any] = []
    for month, counts in (("2025-05", (9, 1, 5)), ("2025-06", (1, 9, 5))):
        sponsors = ("azura-vpn", "brightmeal", "dexter-games")
        for slug, count in zip(sponsors, counts, strict=True):
            videos += [
                example.video(
                    f"{month}-{slug}-{number}", ("bob", "cyd")[number % 2], f"{month}-{number + 1:02}", 1,
                    example.claim(slug, "paid_sponsorship", 0.9),
                )
                for number in range(count)
            ]  # fmt: skip
    await catalog.ingest(videos)


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("rising", [("BrightMeal", 9, 1, "rising")]),
        ("falling", [("Azura VPN", 1, 9, "falling")]),
        (
            "all",
            [
                ("Azura VPN", 1, 9, "falling"),
                ("BrightMeal", 9, 1, "rising"),
                ("Dexter Games", 5, 5, "steady"),
            ],
        ),
    ],
)
async def test_trends_are_ordered_by_how_sure_a_change_is(
    own_catalog: Catalog, direction: str, expected: list[Any]
) -> None:
    await _ingest_months(own_catalog)
    period = {"from_date": "2025-06-01", "to_date": "2025-06-30"}
    found = await own_catalog.ask("ListTrends", direction=direction, **period)
    assert (found.previous_period.from_date, found.previous_period.to_date) == (
        "2025-05-01", "2025-05-31",
    )  # fmt: skip
    assert (found.sponsorships, found.previous_sponsorships) == (15, 15)
    assert [
        (item.sponsor.name, item.videos, item.previous_videos, item.trend)
        for item in found.sponsors
    ] == expected
    if direction == "rising":
        assert (found.sponsors[0].change, found.sponsors[0].score) == (8.0, 2.53)


async def test_the_videos_of_one_youtuber_are_no_trend(own_catalog: Catalog) -> None:
    await own_catalog.ingest(
        [
            example.video(
                f"x{number}", "bob", f"2021-06-{number + 1:02}", 1,
                example.claim("brightmeal", "paid_sponsorship", 0.9),
            )
            for number in range(9)
        ]
        + [
            example.video(
                f"y{number}", "cyd", f"2021-05-{number + 1:02}", 1,
                example.claim("azura-vpn", "paid_sponsorship", 0.9),
            )
            for number in range(9)
        ]
    )  # fmt: skip
    found = await own_catalog.ask("ListTrends", from_date="2021-06-01", to_date="2021-06-30")
    assert [
        (item.sponsor.name, item.trend, item.youtubers, item.previous_youtubers)
        for item in found.sponsors
    ] == [("Azura VPN", "too_little_to_say", 0, 1), ("BrightMeal", "too_little_to_say", 1, 0)]


async def test_too_few_videos_say_nothing_and_come_last(catalog: Catalog) -> None:
    period = {"from_date": "2023-02-01", "to_date": "2023-02-28"}
    found = await catalog.ask("ListTrends", **period)
    assert {item.trend for item in found.sponsors} == {"too_little_to_say"}
    # A free product for review is no paid work.
    assert (found.sponsorships, list(found.kinds)) == (
        2,
        ["paid_sponsorship", "promo_code", "affiliate"],
    )
    free = await catalog.ask("ListTrends", kinds=["free_product"], **period)
    assert [(item.sponsor.name, item.videos) for item in free.sponsors] == [("BrightMeal", 1)]


async def test_trends_take_the_newest_days_known_and_a_category(own_catalog: Catalog) -> None:
    await _ingest_months(own_catalog)
    found = await own_catalog.ask("ListTrends", category="tech")
    assert (found.period.from_date, found.period.to_date) == ("2025-03-12", "2025-06-09")
    assert [(item.sponsor.name, item.videos) for item in found.sponsors] == [("Azura VPN", 10)]
    # Nothing is known of the period before: no growth, and no trend.
    assert found.sponsors[0].trend == "too_little_to_say"
    assert not found.sponsors[0].HasField("change")
