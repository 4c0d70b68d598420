"""Growth says how brands changed on channels that go on, and never which channels happen to be known."""

from typing import Any

import pytest

from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog

IN_2024 = {"from_date": "2024-01-01", "to_date": "2024-12-31"}
ALL_KNOWN = [f"channel {number}" for number in range(4)]
"""Channels with known videos in every year from 2022 to 2025."""


def videos_of(by: str, year: int, count: int, sponsor: str | None = None) -> list[Any]:
    """Return videos over the whole year, at most one a day."""
    claims = [example.claim(sponsor, "paid_sponsorship", 0.9)] if sponsor else []
    return [
        example.video(f"{by}-{year}-{sponsor}-{number}", by, f"{year}-{day}", 1, *claims)
        for number in range(count)
        for day in [f"{number * 11 % 12 + 1:02}-{number * 5 % 28 + 1:02}"]
    ]


@pytest.fixture
async def years(empty_catalog: Catalog) -> Catalog:
    """A service with four channels of 60 other videos in each year, from its first day to its last."""
    names = [*ALL_KNOWN, "ended", "new 1", "new 2", "new 3", "unrelated"]
    batches: list[list[Any]] = [
        [*example.SPONSORS, *(example.youtuber(name, name) for name in names)]
    ]
    for year in range(2022, 2026):
        for name in ALL_KNOWN:
            bounds = [
                example.video(f"{name}-{year}-{day}", name, f"{year}-{day}", 1)
                for day in ("01-01", "12-31")
            ]
            batches.append([*videos_of(name, year, 60), *bounds])
    reply = await empty_catalog.ingest(*batches)
    assert not reply.rejected
    return empty_catalog


async def results_of(catalog: Catalog, sponsor: str, period: dict[str, str]) -> Any:
    """Return what statistics, comparison and trends say of a sponsor; None for a trend that is not listed."""
    stats = await catalog.call("GetSponsorStats", sponsor=sponsor, **period)
    compared = await catalog.call("CompareSponsors", sponsors=[sponsor, "crypto-nest"], **period)
    trends = await catalog.call("ListTrends", limit=50, **period)
    (trend,) = [item for item in trends.sponsors if item.sponsor.slug == sponsor] or [None]
    first = compared.sponsors[0]
    assert (first.HasField("change"), first.change) == (stats.HasField("change"), stats.change)
    assert (first.compared, first.not_compared) == (stats.compared, stats.not_compared)
    return stats, trend, trends


async def test_a_channel_whose_data_end_is_no_fall_of_its_sponsor(years: Catalog) -> None:
    await years.ingest(
        [
            *videos_of("ended", 2023, 28, "azura-vpn"),
            *videos_of("new 1", 2024, 1, "azura-vpn"),
            *videos_of("new 2", 2024, 1, "azura-vpn"),
        ]
    )
    stats, trend, trends = await results_of(years, "azura-vpn", IN_2024)
    assert stats.totals.videos == 2
    assert not stats.HasField("change")
    assert not stats.HasField("previous_totals")
    assert "had 3 creators in the two periods; of none of them" in stats.not_compared
    assert trend is None
    assert (trends.youtubers, trends.compared_youtubers) == (3, 0)
    assert "of the 3 with sponsorships in either, none has known videos in both" in trends.note


async def test_sponsorships_on_channels_that_became_known_are_no_rise(years: Catalog) -> None:
    facts = [
        *videos_of("channel 0", 2023, 4, "azura-vpn"), *videos_of("channel 0", 2024, 4, "azura-vpn"),
        *videos_of("channel 1", 2023, 2, "azura-vpn"), *videos_of("channel 1", 2024, 2, "azura-vpn"),
    ]  # fmt: skip
    for name in ("new 1", "new 2", "new 3"):
        facts += videos_of(name, 2024, 12, "azura-vpn")
    await years.ingest(facts)
    stats, trend, _ = await results_of(years, "azura-vpn", IN_2024)
    assert (stats.totals.videos, stats.previous_totals.videos) == (42, 6)
    assert not stats.HasField("change")
    assert stats.compared.rate == pytest.approx(stats.compared.previous_rate)
    assert (stats.compared.youtubers, stats.compared.videos, stats.compared.previous_videos) == (2, 6, 6)  # fmt: skip
    assert (stats.compared.known_videos, stats.compared.previous_known_videos) == (130, 130)
    assert (trend.trend, trend.videos, trend.previous_videos) == ("too_little_to_say", 6, 6)
    assert trend.compared == stats.compared


async def test_more_videos_known_of_the_same_channels_are_no_rise(years: Catalog) -> None:
    facts: list[Any] = []
    for name in ("channel 0", "channel 1"):
        facts += videos_of(name, 2023, 20, "azura-vpn") + videos_of(name, 2024, 40, "azura-vpn")
        # As many again of each channel as were known: 82 and then 164.
        facts += [
            example.video(f"more {name} {number}", name, "2024-07-01", 1) for number in range(62)
        ]
    await years.ingest(facts)
    stats, trend, _ = await results_of(years, "azura-vpn", IN_2024)
    assert (stats.totals.videos, stats.previous_totals.videos) == (80, 40)
    assert (stats.compared.known_videos, stats.compared.previous_known_videos) == (328, 164)
    assert stats.change == pytest.approx(0.0)
    assert trend.trend == "steady"


async def test_a_fall_on_channels_that_go_on_is_reported(years: Catalog) -> None:
    facts: list[Any] = []
    for name in ALL_KNOWN[:3]:
        facts += videos_of(name, 2023, 8, "azura-vpn") + videos_of(name, 2024, 1, "azura-vpn")
    await years.ingest([*facts, *videos_of("ended", 2023, 28, "azura-vpn")])
    stats, trend, _ = await results_of(years, "azura-vpn", IN_2024)
    # One of 63 videos after eight of 70, on each channel.
    assert stats.change == pytest.approx((1 / 63) / (8 / 70) - 1)
    assert (stats.compared.rate, stats.compared.previous_rate) == pytest.approx((1 / 63, 8 / 70))
    assert (trend.trend, trend.change, trend.compared) == ("falling", stats.change, stats.compared)


async def test_the_videos_of_one_creator_and_one_of_another_are_no_rise(years: Catalog) -> None:
    await years.ingest(
        [
            *videos_of("channel 0", 2024, 57, "azura-vpn"),
            *videos_of("channel 1", 2024, 1, "azura-vpn"),
            *videos_of("channel 2", 2023, 1, "azura-vpn"),
        ]
    )
    _, trend, _ = await results_of(years, "azura-vpn", IN_2024)
    assert (trend.videos, trend.previous_videos) == (58, 1)
    assert trend.trend == "too_little_to_say"


async def test_a_large_change_of_few_videos_is_not_steady(years: Catalog) -> None:
    await years.ingest(
        [
            *videos_of("channel 0", 2024, 3, "azura-vpn"),
            *videos_of("channel 1", 2023, 1, "azura-vpn"),
            *videos_of("channel 1", 2024, 2, "azura-vpn"),
        ]
    )
    stats, trend, _ = await results_of(years, "azura-vpn", IN_2024)
    estimate = stats.compared.rate / stats.compared.previous_rate - 1
    assert estimate > 3
    assert trend.trend == stats.compared.trend == trend.compared.trend == "too_little_to_say"
    assert stats.compared.change_low < 0 < estimate < stats.compared.change_high
    assert not stats.HasField("change")
    assert not trend.HasField("change")
    assert stats.previous_totals.videos == 1
    assert stats.not_compared.startswith(
        "Too little is known for a change: 5 of the brand's videos against 1 on the 2 channels known in both periods"
    )


async def test_what_is_known_of_one_brand_is_no_reason_for_all_that_are_compared(
    years: Catalog,
) -> None:
    brands = ["azura-vpn", "brightmeal", "crypto-nest"]
    await years.ingest([video for slug in brands for video in videos_of("ended", 2023, 9, slug)])
    compared = await years.call("CompareSponsors", sponsors=brands, **IN_2024)
    assert [item.not_compared.partition(" had ")[0] for item in compared.sponsors] == [
        item.sponsor.name for item in compared.sponsors
    ]
    assert compared.not_compared == "Too little is known of each brand: see theirs."


async def test_one_video_of_an_unrelated_channel_makes_no_brand_fall(years: Catalog) -> None:
    facts: list[Any] = []
    for name in ALL_KNOWN:
        facts += videos_of(name, 2024, 10, "azura-vpn") + videos_of(name, 2025, 10, "azura-vpn")
    facts += [example.video("fresh", "unrelated", "2026-11-20", 1)]
    reply = await years.ingest(facts)
    assert not reply.rejected
    in_2026 = {"from_date": "2026-01-01", "to_date": "2026-11-20"}
    stats, trend, trends = await results_of(years, "azura-vpn", in_2026)
    assert stats.totals.videos == 0
    assert not stats.HasField("change")
    assert "had 4 creators in the two periods; of none of them" in stats.not_compared
    assert trend is None
    assert trends.compared_youtubers == 0
    in_2025 = {"from_date": "2025-01-01", "to_date": "2025-12-31"}
    stats, trend, _ = await results_of(years, "azura-vpn", in_2025)
    assert (stats.change, trend.trend) == (pytest.approx(0.0), "steady")


@pytest.mark.parametrize(
    ("period", "reason"),
    [
        (
            {"from_date": "2022-06-01", "to_date": "2025-12-31"},
            "The period before begins on 2018-11-01, and the data on 2022-01-01. Take a shorter period, such as `since` ",
        ),
        (
            {"from_date": "2025-07-01", "to_date": "2026-06-30"},
            "This period ends on 2026-06-30, and the data already on 2025-12-31. Take a longer period, such as `since` ",
        ),
    ],
)  # fmt: skip
async def test_trends_compare_no_period_that_the_data_do_not_cover(
    years: Catalog, period: dict[str, str], reason: str
) -> None:
    facts: list[Any] = []
    for year in range(2022, 2026):
        for name in ALL_KNOWN:
            facts += videos_of(name, year, 5, "azura-vpn")
    await years.ingest(facts)
    stats, trend, trends = await results_of(years, "azura-vpn", period)
    assert trend is None
    assert not trends.sponsors
    assert trends.note.startswith(reason)
    assert trends.note.startswith(stats.not_compared)
    assert not stats.HasField("compared")


async def test_a_brand_without_any_of_the_sponsorships_has_no_rank(years: Catalog) -> None:
    await years.ingest(
        [
            example.sponsor("other-vpn", "Other VPN", "other.example", "security"),
            *videos_of("channel 0", 2024, 3, "other-vpn"),
            *videos_of("channel 0", 2023, 3, "azura-vpn"),
        ]
    )
    names = ["azura-vpn", "other-vpn"]
    for period in (IN_2024, IN_2024 | {"to_date": "2024-12-30"}):
        compared = await years.call("CompareSponsors", sponsors=names, **period)
        none, all_of_it = (item.share_of_voice for item in compared.sponsors)
        assert (none.share, none.HasField("rank")) == (0.0, False)
        assert (all_of_it.share, all_of_it.rank) == (1.0, 1)
    reviews = await years.call("GetSponsorStats", sponsor="azura-vpn", **IN_2024)
    assert not reviews.share_of_voice.HasField("rank")
