"""Responses about several sponsors or youtubers, against the example catalogue."""

from typing import Any

import pytest

from servicekit.errors import InvalidInput, NotFound
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog


async def test_compared_sponsors_have_the_figures_of_their_statistics(catalog: Catalog) -> None:
    period = {"from_date": "2023-01-01", "to_date": "2023-03-31"}
    names = ["azuravpn.com", "BrightMeal", "dexter-games"]
    comparison = await catalog.call("CompareSponsors", sponsors=names, **period)
    assert [item.sponsor.name for item in comparison.sponsors] == [
        "Azura VPN", "BrightMeal", "Dexter Games",
    ]  # fmt: skip
    for name, item in zip(names, comparison.sponsors, strict=True):
        stats = await catalog.call("GetSponsorStats", sponsor=name, granularity="year", **period)
        assert (item.totals, item.previous_totals) == (stats.totals, stats.previous_totals)
        assert list(item.by_kind) == list(stats.by_kind)
        assert (item.repeat_rate, item.share_of_voice) == (stats.repeat_rate, stats.share_of_voice)
        assert comparison.period == stats.period
    ids = [item.sponsor.id for item in comparison.sponsors]
    assert [(pair.sponsor, pair.other, pair.youtubers) for pair in comparison.shared_youtubers] == [
        (ids[0], ids[1], 1),  # Ada
        (ids[0], ids[2], 0),  # Dexter Games came later to Ada and Cyd.
        (ids[1], ids[2], 0),
    ]
    # Their own days leave each brand something to be compared with.
    assert [item.not_compared for item in comparison.sponsors] == [comparison.not_compared] * 3


@pytest.mark.parametrize(
    ("filters", "shared"),
    [
        ({}, [1, 2, 1]),  # Ada; Ada and Cyd; Ada
        ({"to_date": "2023-11-29"}, [1, 1, 0]),  # Ada's video for Dexter Games is later.
        ({"min_confidence": 0.7}, [1, 0, 0]),  # Ada's for Dexter Games and Cyd's for Azura are less sure.
        ({"kinds": ["promo_code", "paid_sponsorship"]}, [1, 1, 0]),  # Ada's for Dexter Games is an affiliate's.
        ({"kinds": ["free_product"]}, [0, 0, 0]),
    ],
)  # fmt: skip
async def test_youtubers_in_common_are_those_of_the_period_and_the_filters(
    catalog: Catalog, filters: dict[str, Any], shared: list[int]
) -> None:
    names = ["azura-vpn", "brightmeal", "dexter-games"]
    comparison = await catalog.call("CompareSponsors", sponsors=names, **filters)
    assert [pair.youtubers for pair in comparison.shared_youtubers] == shared


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
        await catalog.call("CompareSponsors", sponsors=names)


async def test_an_unknown_sponsor_to_compare_is_named(catalog: Catalog) -> None:
    with pytest.raises(NotFound, match="no brand 'nobody at all'"):
        await catalog.call("CompareSponsors", sponsors=["azura-vpn", "nobody at all"])


async def test_brands_without_a_sponsorship_here_are_named(catalog: Catalog) -> None:
    names = ["azura-vpn", "echo-tools"]
    all_time = await catalog.call("CompareSponsors", sponsors=names)
    nothing = await catalog.call("CompareSponsors", sponsors=names, from_date="2030-01-01")

    known = [item.sponsor.name for item in all_time.sponsors if item.totals.videos]
    assert known
    assert not any(f"{name}: " in all_time.note for name in known)
    assert all(f"{item.sponsor.name}: " in nothing.note for item in nothing.sponsors)


async def test_shared_sponsors_are_those_of_every_youtuber(catalog: Catalog) -> None:
    shared = await catalog.call("ListSharedSponsors", youtubers=["ada", "cyd"])
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
    three = await catalog.call("ListSharedSponsors", youtubers=["ada", "bob", "cyd"])
    assert not three.sponsors


async def test_shared_sponsors_are_split_by_kind_and_can_be_of_some_kinds(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest(
        [
            example.video("free", "cyd", "2023-03-03", 1, example.claim("azura-vpn", "free_product", 0.9)),
            example.video("own", "bob", "2023-03-03", 1, example.claim("azura-vpn", "free_product", 0.9)),
        ]
    )  # fmt: skip
    pair = {"youtubers": ["bob", "cyd"]}
    azura = (await own_catalog.call("ListSharedSponsors", **pair)).sponsors[0]
    assert azura.sponsor.name == "Azura VPN"
    assert azura.videos == sum(part.sponsorships for part in azura.by_kind) == 3
    free = await own_catalog.call("ListSharedSponsors", kinds=["free_product"], **pair)
    assert [(item.sponsor.name, item.videos) for item in free.sponsors] == [("Azura VPN", 2)]
    assert [(part.key, part.sponsorships) for part in free.sponsors[0].by_kind] == [("free_product", 2)]  # fmt: skip
    assert [relation.videos for relation in free.sponsors[0].relations] == [1, 1]
    assert list(free.kinds) == ["free_product"]
    paid = await own_catalog.call(
        "ListSharedSponsors", kinds=["paid_sponsorship", "promo_code"], **pair
    )
    assert not paid.sponsors
    assert paid.note == (
        "No brand is known to have sponsored all of these creators by paid_sponsorship, promo_code. Leave `kinds` out."
    )
    await own_catalog.ingest([example.youtuber("unseen", "Never Seen")])
    unseen = await own_catalog.call("ListSharedSponsors", youtubers=["cyd", "ada", "unseen"])
    assert unseen.note == (
        "No brand is known to have sponsored all of these creators. No video of Never Seen is known. Name fewer of them."
    )


async def test_shared_sponsors_are_paged(catalog: Catalog) -> None:
    first = await catalog.call("ListSharedSponsors", youtubers=["cyd", "ada"], limit=1)
    second = await catalog.call(
        "ListSharedSponsors", youtubers=["cyd", "ada"], limit=1, cursor=first.next_cursor
    )
    names = [item.sponsor.name for page in (first, second) for item in page.sponsors]
    assert names == ["Azura VPN", "Dexter Games"]
    assert not second.HasField("next_cursor")


async def _ingest_months(catalog: Catalog) -> None:
    """BrightMeal goes from 1 to 9 videos, Azura VPN from 9 to 1, Dexter Games stays at 5."""
    videos: list[Any] = [example.video("the end", "dan", "2025-06-30", 1)]
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
                ("Dexter Games", 5, 5, "too_little_to_say"),
            ],
        ),
    ],
)
async def test_trends_are_ordered_by_how_sure_a_change_is(
    own_catalog: Catalog, direction: str, expected: list[Any]
) -> None:
    await _ingest_months(own_catalog)
    period = {"from_date": "2025-06-01", "to_date": "2025-06-30"}
    found = await own_catalog.call("ListTrends", direction=direction, **period)
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
    assert (found.youtubers, found.compared_youtubers) == (2, 2)
    assert (found.known_videos, found.previous_known_videos) == (15, 15)
    assert found.compared_sponsors == 3


async def test_a_direction_that_no_brand_took_lists_none_and_says_so(own_catalog: Catalog) -> None:
    videos: list[Any] = [example.video("the end", "dan", "2025-06-30", 1)]
    for month, count in (("2025-05", 2), ("2025-06", 20)):
        videos += [
            example.video(
                f"{month}-{number}", ("bob", "cyd")[number % 2], f"{month}-{number + 1:02}", 1,
                example.claim("brightmeal", "paid_sponsorship", 0.9),
            )
            for number in range(count)
        ]  # fmt: skip
        videos += [
            example.video(f"{month}-plain-{number}", ("bob", "cyd")[number % 2], f"{month}-03", 1)
            for number in range(20)
        ]
    await own_catalog.ingest(videos)
    period = {"from_date": "2025-06-01", "to_date": "2025-06-30"}
    rising = await own_catalog.call("ListTrends", direction="rising", **period)
    assert [item.trend for item in rising.sponsors] == ["rising"]
    falling = await own_catalog.call("ListTrends", direction="falling", **period)
    assert not falling.sponsors
    assert falling.note == (
        "Of the brands that enough is known of, none has fallen beyond chance: `direction` all has the others."
    )


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
        + [
            example.video(f"{day}-{by}", by, day, 1)
            for day in ("2021-05-20", "2021-06-20") for by in ("bob", "cyd")
        ]
    )  # fmt: skip
    found = await own_catalog.call("ListTrends", from_date="2021-06-01", to_date="2021-06-30")
    assert [
        (item.sponsor.name, item.trend, item.youtubers, item.previous_youtubers)
        for item in found.sponsors
    ] == [("Azura VPN", "too_little_to_say", 0, 1), ("BrightMeal", "too_little_to_say", 1, 0)]


async def test_too_few_videos_say_nothing_and_come_last(own_catalog: Catalog) -> None:
    await own_catalog.ingest([example.video("e0", "dan", "2023-01-01", 1)])
    period = {"from_date": "2023-02-01", "to_date": "2023-02-28"}
    found = await own_catalog.call("ListTrends", **period)
    assert {item.trend for item in found.sponsors} == {"too_little_to_say"}
    # A free product for review is no paid work.
    assert (found.sponsorships, list(found.kinds)) == (
        2,
        ["paid_sponsorship", "promo_code", "affiliate"],
    )
    assert found.note == (
        "Too little is known of every brand: a trend takes at least 5 sponsored videos on 2 channels known in both "
        "periods, and a change beyond chance that does not rest on one creator, or so many videos that a change by half is "
        "excluded."
    )
    rising = await own_catalog.call("ListTrends", direction="rising", **period)
    assert rising.note == found.note, "a direction is no filter to leave out"
    free = await own_catalog.call("ListTrends", kinds=["free_product"], **period)
    assert [(item.sponsor.name, item.videos) for item in free.sponsors] == [("BrightMeal", 1)]


async def test_trends_take_the_newest_days_known_and_a_category(own_catalog: Catalog) -> None:
    await _ingest_months(own_catalog)
    found = await own_catalog.call("ListTrends", category="tech")
    assert (found.period.from_date, found.period.to_date) == ("2025-03-12", "2025-06-09")
    # Nothing is known of the period before: no growth, and no trend.
    assert (found.sponsorships, found.previous_sponsorships) == (10, 0)
    assert (found.youtubers, found.compared_youtubers, list(found.sponsors)) == (2, 0, [])
    assert "of the 2 with sponsorships in either, none has known videos in both" in found.note
    june = await own_catalog.call(
        "ListTrends", category="tech", from_date="2025-06-01", to_date="2025-06-30"
    )
    assert [(item.sponsor.name, item.videos, item.previous_videos) for item in june.sponsors] == [
        ("Azura VPN", 1, 9)
    ]


async def test_without_support_a_longer_period_is_proposed_that_has_some(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest(
        [
            example.video(
                f"{day}-{number}", ("bob", "cyd")[number % 2], day, 1,
                example.claim("azura-vpn", "paid_sponsorship", 0.9),
            )
            for day, videos in (("2025-03-10", 3), ("2025-05-20", 10), ("2025-06-10", 6))
            for number in range(videos)
        ]
        + [
            example.video(f"{day}-{by}-{number}", by, day, 1)
            for day, videos in (("2025-04-25", 10), ("2025-05-30", 1))
            for number in range(videos)
            for by in ("bob", "cyd")
        ]
    )  # fmt: skip
    week = {"from_date": "2025-06-04", "to_date": "2025-06-10"}
    found = await own_catalog.call("ListTrends", **week)
    assert {item.trend for item in found.sponsors} == {"too_little_to_say"}
    assert found.note.endswith(
        "Take a longer period, such as `since` 2025-05-16 `until` 2025-06-10."
    )
    proposed = {"from_date": "2025-05-16", "to_date": "2025-06-10"}
    found = await own_catalog.call("ListTrends", **proposed)
    assert [item.trend for item in found.sponsors] == ["rising"]
