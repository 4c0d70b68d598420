"""The outlook of a youtuber, from what the catalogue has observed."""

from datetime import date, timedelta
from typing import Any

import pytest

from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.errors import InvalidInput, NotFound
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import video, youtuber

NEWEST = date(2024, 6, 30)


def made(
    key: str, days: int, views: int | None, *, seen_after: int | None = None, **more: Any
) -> pb.IngestItem:
    """A video of Eve published so many days before the newest one."""
    day = NEWEST - timedelta(days=days)
    seen_at = {} if seen_after is None else {"observed_at": str(day + timedelta(days=seen_after))}
    facts = {"duration_seconds": 600, "broadcast": "none"} | seen_at | more
    return video(key, "eve", str(day), views, **facts)


async def outlook(catalog: Catalog, **arguments: Any) -> Any:
    return await catalog.call("GetYoutuberOutlook", youtuber="Eve Works", **arguments)


async def with_videos(catalog: Catalog, *videos: pb.IngestItem) -> Catalog:
    reply = await catalog.ingest([youtuber("eve", "Eve Works"), *videos])
    assert not reply.rejected
    return catalog


def of(found: Any, name: str) -> Any:
    (item,) = (item for item in found.formats if item.format == name)
    return item


async def test_views_are_projected_from_snapshots_at_day_30_where_there_are_some(
    empty_catalog: Catalog,
) -> None:
    catalog = await with_videos(empty_catalog, made("newest", 0, 5, seen_after=1))
    for number in range(5):
        for age, views in ((24, 800), (30, 1000), (37, 1200), (190, 9000)):
            await catalog.ingest([made(f"v{number}", 35 + number, views, seen_after=age)])
    found = of(await outlook(catalog), "longform")
    projected = found.projected
    assert (projected.basis, projected.views, projected.videos, projected.window_days) == (
        "day_30",
        1000,
        5,
        90,
    )
    assert (projected.youngest_days, projected.oldest_days) == (30, 30)
    assert projected.low_80 < projected.low_50 < 1000 < projected.high_50 < projected.high_80
    assert [item.videos for item in found.bundles] == list(range(1, 11))
    assert not found.HasField("no_bundles")
    # Three times 1,000 is what is expected; five videos do not promise it.
    assert 2_000 < found.bundles[2].views < 3_000
    assert found.bundles[2].guarantee_probability == 0.8
    assert (found.uploads.videos, found.uploads.days) == (6, 40)
    assert not found.uploads.HasField("per_90_days")


async def test_without_snapshots_the_last_look_is_taken_and_said_as_such(
    empty_catalog: Catalog,
) -> None:
    videos = [made(f"v{n}", 40 + n, 2000, seen_after=300 + n) for n in range(4)]
    catalog = await with_videos(empty_catalog, made("newest", 0, 5), *videos)
    found = of(await outlook(catalog), "longform")
    assert (found.projected.basis, found.projected.views) == ("last_look", 2000)
    assert (found.projected.youngest_days, found.projected.oldest_days) == (300, 303)
    assert "300 to 303 days old" in found.projected.meaning
    assert not found.bundles
    assert (
        found.no_bundles == "A bundle needs 5 videos that a projection rests on, and there are 4."
    )


async def test_formats_are_never_mixed_and_the_unknown_one_is_apart_and_said(
    empty_catalog: Catalog,
) -> None:
    videos = [made(f"l{n}", 40 + n, 1000) for n in range(4)]
    videos += [made(f"s{n}", 40 + n, 90_000, duration_seconds=30) for n in range(4)]
    videos += [made(f"u{n}", 40 + n, 5_000_000, duration_seconds=None) for n in range(4)]
    catalog = await with_videos(empty_catalog, made("newest", 0, 5), *videos)
    response = await outlook(catalog)
    assert [item.format for item in response.formats] == ["longform", "short", "unknown"]
    assert [item.projected.views for item in response.formats] == [1000, 90_000, 5_000_000]
    assert "4 videos of the last year the format is not known" in response.note
    assert "ages that are not known" in of(response, "unknown").projected.meaning


async def test_below_four_videos_there_is_a_reason_and_no_projection(
    empty_catalog: Catalog,
) -> None:
    videos = [made(f"v{n}", 40 + n, 1000) for n in range(3)] + [
        made("unseen", 60, None),
        made("old", 241, 1000),
    ]
    catalog = await with_videos(empty_catalog, made("newest", 0, 5), *videos)
    found = of(await outlook(catalog, price=100.0), "longform")
    assert not found.HasField("projected")
    assert not found.HasField("cpm")
    assert found.reason.startswith(
        "It needs 4 longform videos with known views that were 30 to 240 days old on 2024-06-30"
    )
    assert found.trend.reason


async def test_with_a_price_there_is_an_expected_cpm_and_why_none_is_beside_it(
    empty_catalog: Catalog,
) -> None:
    catalog = await with_videos(
        empty_catalog, *(made(f"v{n}", 40 * (n > 0) + n, 50_000) for n in range(6))
    )
    response = await outlook(catalog, price=2000.0, currency="EUR")
    cpm = of(response, "longform").cpm
    assert cpm.expected == pytest.approx(40, rel=1e-3)
    assert cpm.low < cpm.expected < cpm.high
    assert (response.price, response.currency) == (2000, "EUR")
    assert not response.HasField("comparable_cpm")
    assert "has no prices" in response.comparable_cpm_reason
    without = await outlook(catalog)
    assert not of(without, "longform").HasField("cpm")
    assert not without.HasField("comparable_cpm_reason")


async def test_the_newest_known_video_is_today_and_an_old_one_is_said(
    empty_catalog: Catalog,
) -> None:
    catalog = await with_videos(empty_catalog, made("newest", 0, 5))
    response = await outlook(catalog)
    assert (response.as_of, response.at_age_days) == ("2024-06-30", 30)
    assert "The newest known video is of 2024-06-30" in response.note
    assert response.coverage.videos_scanned == 1


async def test_a_channel_without_videos_has_no_outlook(empty_catalog: Catalog) -> None:
    response = await outlook(await with_videos(empty_catalog))
    assert (list(response.formats), response.HasField("as_of")) == ([], False)
    assert response.note == "No video of the channel is known yet: import it first."


@pytest.mark.parametrize(
    "arguments", [{"price": 0.0}, {"price": -1.0}, {"price": float("nan")}, {"currency": " "}]
)
async def test_a_price_that_is_none_is_refused(catalog: Catalog, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await catalog.call("GetYoutuberOutlook", youtuber="ada", **arguments)


async def test_an_unknown_youtuber_is_not_found(catalog: Catalog) -> None:
    with pytest.raises(NotFound):
        await catalog.call("GetYoutuberOutlook", youtuber="nobody of this name")
