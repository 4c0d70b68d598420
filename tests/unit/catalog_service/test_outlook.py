"""Projections, bundles, CPM, evergreen, uploads and trend are those of their formulas, and hold what is always true of them."""

import math
import statistics
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.outlook import bundles, cpm, evergreen, projection, trend, uploads
from catalog_service.domain.outlook.samples import (
    DAY_30,
    LATEST_OBSERVATION,
    AgedViews,
    RecentVideo,
    recent,
    views_at,
)

NEWEST = date(2026, 6, 30)
VIEWS = st.lists(st.integers(1, 10**9).map(float), min_size=4, max_size=60)
FEW = st.lists(st.integers(1, 10**9).map(float), min_size=5, max_size=30)


def video(days: int, views: int | None, *, age: int | None = None, **ages: int) -> RecentVideo:
    """A video published so many days before the newest one; `ages` are its views by age, as `d30`."""
    looks = tuple(AgedViews(int(name[1:]), count) for name, count in ages.items())
    last = None if views is None else AgedViews(age, views)
    return RecentVideo(NEWEST - timedelta(days=days), "longform", last, looks)


def test_views_at_an_age_are_those_of_a_look_at_it_or_lie_between_the_looks_around_it() -> None:
    assert views_at(30, [AgedViews(30, 500), AgedViews(24, 400)]) == 500
    between = views_at(30, [AgedViews(15, 100), AgedViews(60, 300)])
    assert between == pytest.approx(200)  # 30 is half way from 15 to 60 in logarithms
    assert views_at(30, [AgedViews(14, 100), AgedViews(31, 300)]) is None
    assert views_at(30, [AgedViews(29, 100), AgedViews(61, 300)]) is None
    assert views_at(30, [AgedViews(29, 100)]) is None


def test_the_window_is_widened_while_it_has_fewer_than_four_videos() -> None:
    for days, window in ((89, 90), (110, 120), (150, 180), (240, 240)):
        videos = [*(video(40, 100, age=50) for _ in range(3)), video(days, 100, age=days)]
        found = recent(videos, NEWEST)
        assert found is not None
        assert (found.days, len(found.sample.views)) == (window, 4)
    assert recent([*(video(40, 100, age=50) for _ in range(3)), video(241, 9)], NEWEST) is None


def test_views_at_day_30_go_before_those_of_the_last_look_and_are_not_mixed_with_them() -> None:
    with_snapshots = [video(200, 9_000, age=200, d30=100) for _ in range(4)]
    others = [video(50, 5_000, age=50) for _ in range(9)]
    found = recent([*with_snapshots, *others], NEWEST)
    assert found is not None
    assert (found.days, found.sample.basis, found.sample.views) == (240, DAY_30, (100.0,) * 4)
    fallen_back = recent([*with_snapshots[:3], *others], NEWEST)
    assert fallen_back is not None
    assert (fallen_back.sample.basis, fallen_back.days) == (LATEST_OBSERVATION, 90)
    assert set(fallen_back.sample.views) == {5_000.0}


def test_the_last_look_counts_of_videos_that_were_thirty_days_old() -> None:
    videos = [video(29, 100, age=60), video(60, 100, age=29), video(60, None)]
    videos += [video(30, 200, age=n) for n in (30, 40)] + [video(90, 300, age=n) for n in (90, 99)]
    found = recent(videos, NEWEST)
    assert found is not None
    assert sorted(found.sample.views) == [200, 200, 300, 300]
    assert (found.sample.youngest, found.sample.oldest) == (30, 99)
    unknown = recent([*videos, video(31, 250)], NEWEST)
    assert unknown is not None
    assert (unknown.sample.youngest, unknown.sample.oldest) == (None, None)


def test_an_outlier_moves_the_interval_and_not_the_projection() -> None:
    usual = [90.0, 100.0, 110.0, 95.0, 105.0]
    with_hit = projection.project([*usual, 1_000_000.0])
    assert (with_hit.outliers, with_hit.views) == (1, pytest.approx(100))
    assert with_hit.interval_80.high > 3 * projection.project(usual).interval_80.high


def test_the_interval_is_students_with_a_prior_of_two_videos() -> None:
    # Four equal videos leave the prior alone: s = √(2 / 5), t of 5 degrees of freedom at 0.9 is 1.4759.
    found = projection.project([1000.0] * 4)
    width = 1.4759 * math.sqrt(2 / 5) * math.sqrt(1 + math.pi / 8)
    assert found.interval_80.high == pytest.approx(1000 * math.exp(width), rel=0.01)
    assert found.interval_80.low == pytest.approx(1000 * math.exp(-width), rel=0.01)


@pytest.mark.parametrize(
    ("probability", "degrees", "quantile"),
    [(0.75, 5, 0.7267), (0.9, 5, 1.4759), (0.9, 8, 1.3968), (0.9, 30, 1.3104), (0.75, 30, 0.6828)],
)
def test_students_quantiles_are_those_of_the_tables(
    probability: float, degrees: int, quantile: float
) -> None:
    assert projection.student_t(probability, degrees) == pytest.approx(quantile, rel=1e-3)


@given(VIEWS)
def test_the_interval_of_80_percent_contains_that_of_50_and_both_the_projection(
    views: list[float],
) -> None:
    found = projection.project(views)
    narrow, wide = found.interval_50, found.interval_80
    assert 0 < wide.low < narrow.low < found.views < narrow.high < wide.high


@given(VIEWS, st.integers(2, 1000))
def test_as_many_times_the_views_are_as_many_times_the_projection(
    views: list[float], times: int
) -> None:
    once, scaled = projection.project(views), projection.project([item * times for item in views])
    assert scaled.views == pytest.approx(once.views * times, rel=1e-6)
    for of_once, of_scaled in (
        (once.interval_50, scaled.interval_50),
        (once.interval_80, scaled.interval_80),
    ):
        assert of_scaled.low == pytest.approx(of_once.low * times, rel=1e-6)
        assert of_scaled.high == pytest.approx(of_once.high * times, rel=1e-6)
    totals = bundles.bundles(views)
    for total, larger in zip(totals, bundles.bundles([v * times for v in views]), strict=True):
        assert larger.views == pytest.approx(total.views * times, rel=1e-9)


@given(VIEWS, st.randoms())
def test_the_order_of_the_videos_does_not_matter(views: list[float], random: Random) -> None:
    shuffled = list(views)
    random.shuffle(shuffled)
    assert projection.project(shuffled) == projection.project(views)
    expected = [item.views for item in bundles.bundles(views)]
    assert [item.views for item in bundles.bundles(shuffled)] == pytest.approx(expected)


@given(FEW)
def test_a_larger_bundle_reaches_more_and_its_guarantee_is_three_quarters_of_the_mean_or_more(
    views: list[float],
) -> None:
    totals = bundles.bundles(views)
    assert [item.videos for item in totals] == list(range(1, 11))
    assert all(a.views < b.views for a, b in pairwise(totals))
    mean = statistics.fmean(views)
    for item in totals:
        assert item.guarantee >= max(item.views, 0.75 * item.videos * mean * (1 - 1e-9))
        assert (item.guarantee == item.views) == (item.guarantee_probability >= 0.8)


def test_a_bundle_needs_five_videos_and_is_the_same_each_time() -> None:
    assert bundles.bundles([1.0, 2.0, 3.0, 4.0]) == ()
    views = [800.0, 900.0, 1000.0, 1100.0, 1200.0]
    assert bundles.bundles(views) == bundles.bundles(views)
    totals = [bundle.views for bundle in bundles.bundles(views)]
    assert totals == sorted(totals)


@pytest.mark.parametrize(
    "views",
    [
        [800.0, 900.0, 1_000.0, 1_100.0, 1_200.0],
        [3_000.0] * 5,
        [5_000.0] * 40,
        [math.exp(7 + item / 10) for item in range(-15, 16)],
    ],
)
def test_a_bundle_of_one_agrees_with_the_intervals_of_the_next_video(views: list[float]) -> None:
    projected = projection.project(views)
    # Nine of ten videos are above the first, four of five reach the second, three of four are above the third.
    assert projected.interval_80.low < bundles.bundles(views)[0].views < projected.interval_50.low


def test_videos_of_a_bundle_even_each_other_out() -> None:
    found = bundles.bundles([math.exp(7 + item / 10) for item in range(-15, 16)])
    assert found[9].views / 10 > 1.5 * found[0].views


def test_a_guarantee_above_what_is_reached_says_how_often_it_is_reached() -> None:
    single = bundles.bundles([10.0, 10.0, 10.0, 10.0, 1000.0])[0]
    assert (single.views < 10, single.guarantee) == (True, pytest.approx(0.75 * 208))
    assert single.guarantee_probability == pytest.approx(0.2, abs=0.04)


def test_the_cpm_is_the_price_of_a_thousand_projected_views() -> None:
    found = projection.project([50_000.0] * 8)
    at_price = cpm.expected(2_000, found)
    assert at_price.expected == pytest.approx(40)
    assert at_price.low == pytest.approx(2_000 / found.interval_80.high * 1000)
    assert at_price.high == pytest.approx(2_000 / found.interval_80.low * 1000)


def test_evergreen_is_the_growth_from_day_30_to_day_180_in_parts_of_day_30() -> None:
    videos = [video(300, 1, d30=100, d180=views) for views in (110, 150, 200, 400)]
    found = evergreen.evergreen(videos)
    assert (found.ratio, found.videos) == (pytest.approx(0.75), 4)
    incomplete = [video(300, 1, d30=100), video(300, 1, d180=100), video(300, 1, d30=0, d180=9)]
    assert evergreen.evergreen([*videos[:3], *incomplete]) == evergreen.Evergreen(None, 3)


def test_uploads_are_per_90_days_of_the_last_365_or_of_those_that_are_known() -> None:
    long_known = uploads.uploads(73, NEWEST - timedelta(days=2000), NEWEST)
    assert (long_known.per_90_days, long_known.days) == (pytest.approx(18), 365)
    young = uploads.uploads(20, NEWEST - timedelta(days=99), NEWEST)
    assert (young.per_90_days, young.days) == (pytest.approx(18), 100)
    assert uploads.uploads(20, NEWEST - timedelta(days=88), NEWEST).per_90_days is None


def halves(earlier: Sequence[int], later: Sequence[int]) -> list[RecentVideo]:
    return [
        *(video(130 + n, 1, d30=views) for n, views in enumerate(earlier)),
        *(video(10 + n, 1, d30=views) for n, views in enumerate(later)),
    ]


@pytest.mark.parametrize(
    ("earlier", "later", "direction", "ratio"),
    [
        ([100, 110, 120, 130], [1000, 1100, 1200, 1300], "rising", 10.0),
        ([1000, 1100, 1200, 1300], [100, 110, 120, 130], "falling", 0.1),
        ([100, 110] * 40, [105, 108] * 40, "steady", 1.015),
        ([100, 110] * 2, [105, 108] * 2, "too_little_to_say", 1.015),
    ],
)
def test_a_trend_compares_the_last_120_days_with_those_before(
    earlier: list[int], later: list[int], direction: str, ratio: float
) -> None:
    found = trend.trend(halves(earlier, later), DAY_30, NEWEST)
    assert (found.direction, found.reason) == (direction, None)
    assert found.ratio == pytest.approx(ratio, rel=0.01)
    assert (found.videos, found.earlier_videos) == (len(later), len(earlier))


@given(VIEWS, VIEWS)
def test_the_trend_turned_round_is_its_inverse(later: list[float], earlier: list[float]) -> None:
    ratio, interval = trend.compared(later, earlier)
    inverse, turned = trend.compared(earlier, later)
    assert interval.low < ratio < interval.high
    assert (inverse, turned.low) == (pytest.approx(1 / ratio), pytest.approx(1 / interval.high))


def test_a_trend_needs_four_videos_in_each_half() -> None:
    found = trend.trend(halves([1, 2, 3], [1, 2, 3, 4]), DAY_30, NEWEST)
    assert (found.direction, found.ratio) == (None, None)
    assert "4 and 3" in (found.reason or "")


def test_views_counted_at_unlike_ages_have_no_trend() -> None:
    def counted_at(later: int, days: int) -> list[RecentVideo]:
        return [video(n, 100, age=n + later) for n in (days, days + 1, days + 2, days + 3)]

    soon = trend.trend([*counted_at(0, 40), *counted_at(0, 200)], LATEST_OBSERVATION, NEWEST)
    assert soon.direction is None
    assert "40 to 203 days" in (soon.reason or "")
    long_after = trend.trend(
        [*counted_at(700, 40), *counted_at(700, 200)], LATEST_OBSERVATION, NEWEST
    )
    assert (long_after.ratio, long_after.reason) == (1, None)
    undated = [video(days, 100) for days in (40, 41, 42, 43, 200, 201, 202, 203)]
    assert "not known" in (trend.trend(undated, LATEST_OBSERVATION, NEWEST).reason or "")


@given(st.lists(st.floats(0, 1e9), min_size=5, max_size=30))
def test_an_interval_of_80_percent_begins_at_what_one_video_reaches_with_80_percent_or_lower(
    views: list[float],
) -> None:
    reached = bundles.bundles(views)[0].views
    projected = projection.project(views)
    assert projected.below(reached).interval_80.low <= reached
    assert projected.below(reached).interval_80.high == projected.interval_80.high
