"""Sponsored videos are compared with the others of their own year."""

from collections.abc import Callable

import pytest

from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber


def _year(year: int, views: int, *, sponsored: int, others: int, factor: float) -> list[object]:
    """Videos of a year; the sponsored ones are seen `factor` times as often."""
    videos: list[object] = [
        video(f"{year}o{n}", "grown", f"{year}-03-{n + 1:02}", views) for n in range(others)
    ]
    videos += [
        video(
            f"{year}s{n}", "grown", f"{year}-06-{n + 1:02}", round(views * factor),
            claim("brand", "paid_sponsorship", 0.9), duration_seconds=50,
        )
        for n in range(sponsored)
    ]  # fmt: skip
    return videos


async def test_growth_of_the_channel_is_not_taken_for_an_effect_of_sponsors(
    fresh_database: Callable[[], str],
) -> None:
    """Seen a hundred times as often in its sponsored year, where sponsored videos do 20 % worse."""
    async with running_catalog(new_settings(fresh_database())) as catalog:
        facts = [
            sponsor("brand", "Brand", "brand.example", "food"),
            youtuber("grown", "Grown"),
            *_year(2015, 1_000, sponsored=1, others=20, factor=3),
            *_year(2020, 100_000, sponsored=8, others=5, factor=0.8),
            *_year(2021, 200_000, sponsored=4, others=3, factor=1.25),
            video("unseen", "grown", "2020-09-01", None),
        ]
        assert not (await catalog.ingest(facts)).rejected  # type: ignore[arg-type]
        views = (await catalog.call("GetYoutuberStats", youtuber="grown")).views
        assert list(views.years) == [2020, 2021]
        assert (views.sponsored_videos, views.other_videos) == (12, 8)
        assert views.ratio == pytest.approx((0.8**8 * 1.25**4) ** (1 / 12))
        assert views.sponsored_median / views.other_median == pytest.approx(views.ratio, rel=1e-4)
        assert views.sponsored_median.is_integer()
        assert views.other_median.is_integer()
        assert not views.HasField("reason")
        assert [(item.format, item.videos) for item in views.formats] == [
            ("short", 12),
            ("unknown", 8),
        ]
        assert views.views_at == "last_look"
        await _is_of_a_period(catalog)


async def _is_of_a_period(catalog: Catalog) -> None:
    year = {"from_date": "2021-01-01", "to_date": "2021-12-31"}
    views = (await catalog.call("GetYoutuberStats", youtuber="grown", **year)).views
    assert (views.sponsored_median, views.other_median) == pytest.approx((250_000, 200_000))
    early = {"from_date": "2015-01-01", "to_date": "2019-12-31"}
    views = (await catalog.call("GetYoutuberStats", youtuber="grown", **early)).views
    assert not views.HasField("ratio")
    assert "at least 3 sponsored and 3 other" in views.reason
