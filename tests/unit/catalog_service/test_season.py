"""Cadence, size of creators and season, of a few videos and of any."""

import math
import random
from collections import Counter
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain import cadence, season
from shapes.catalog.records import Cadence, CreatorSize, Season
from shapes.catalog.shared import Period
from tests import track_records
from tests.track_records import Tables, Upload, Work


def months(counts: dict[str, int]) -> dict[date, int]:
    return {date.fromisoformat(f"{month}-01"): count for month, count in counts.items()}


def years_of(first: int, last: int, more: dict[int, int], each: int = 2) -> dict[date, int]:
    """Return `each` videos a month, and more in these months of every year."""
    return {
        date(year, month, 1): each + more.get(month, 0)
        for year in range(first, last + 1)
        for month in range(1, 13)
    }


def test_cadence_is_of_months_with_videos() -> None:
    found = cadence.cadence(months({"2023-11": 3, "2024-02": 1}))
    assert found == Cadence(Period(date(2023, 11, 1), date(2024, 2, 29)), 4, 2, 4, 2.0)


def test_one_month_is_a_cadence_and_none_is_none() -> None:
    found = cadence.cadence(months({"2023-12": 1}))
    assert found == Cadence(Period(date(2023, 12, 1), date(2023, 12, 31)), 1, 1, 1, 1.0)
    assert cadence.cadence({}) == Cadence(None, 0, 0, 0, None)


def test_the_typical_creator_is_of_those_whose_subscribers_are_known() -> None:
    assert cadence.creator_size([None, 100, 300, None]) == CreatorSize(200.0, 2, 2)
    assert cadence.creator_size([5]) == CreatorSize(5.0, 1, 0)
    assert cadence.creator_size([None]) == CreatorSize(None, 0, 1)
    assert cadence.creator_size([]) == CreatorSize(None, 0, 0)


def test_a_month_stands_out_that_has_more_year_after_year() -> None:
    found, reason = season.season(years_of(2020, 2022, {11: 6}))
    assert found == Season((11,), (2020, 2021, 2022), 90)
    assert reason is None


def test_one_large_campaign_is_no_season() -> None:
    counts = years_of(2020, 2022, {})
    counts[date(2021, 6, 1)] += 60
    found, _ = season.season(counts)
    assert found == Season((), (2020, 2021, 2022), 132)


def test_few_videos_more_than_in_other_months_are_no_season() -> None:
    found, _ = season.season(years_of(2020, 2022, {11: 1}, each=1))
    assert found == Season((), (2020, 2021, 2022), 39)


def test_years_that_are_cut_short_do_not_count() -> None:
    counts = years_of(2019, 2023, {11: 6})
    del counts[date(2019, 1, 1)], counts[date(2023, 12, 1)]
    found, _ = season.season(counts)
    assert found is not None
    assert found.years == (2020, 2021, 2022)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ({}, "0 whole calendar years between its first and last sponsored video, with 0 videos"),
        (years_of(2021, 2022, {11: 50}), "2 whole calendar years"),
        (years_of(2020, 2022, {1: -1, 2: -1}, each=1), "with 30 videos"),
    ],
)
def test_too_few_years_or_videos_are_a_reason_and_no_season(
    counts: dict[date, int], reason: str
) -> None:
    counts = {month: count for month, count in counts.items() if count or month.month == 1}
    found, given_reason = season.season(counts)
    assert found is None
    assert given_reason is not None
    assert reason in given_reason
    assert given_reason.endswith("a season needs 3 years and 36 videos.")


@given(total=st.integers(1, 300), data=st.data())
def test_the_chance_is_the_binomial_tail(total: int, data: Any) -> None:
    count = data.draw(st.integers(0, total))
    exact = track_records.binomial_tail(count, total)
    assert season.chance(count, total) == pytest.approx(float(exact), rel=1e-6)


def test_the_chance_of_many_videos_is_found_at_once() -> None:
    """The mean of a million videos is 83,333 a month, with a deviation of 276."""
    assert season.chance(84_500, 1_000_000) < 1e-4
    assert season.chance(83_334, 1_000_000) == pytest.approx(0.5, abs=0.01)


@given(seed=st.integers(0, 1_000_000))
def test_a_season_is_what_the_videos_give_one_by_one(seed: int) -> None:
    chooser = random.Random(seed)
    weights = [chooser.choice((1, 1, 1, 3, 8)) for _ in range(12)]
    days = [
        date(chooser.randint(2018, 2022), month, chooser.randint(1, 28))
        for month in chooser.choices(range(1, 13), weights, k=chooser.choice((20, 60, 300)))
    ]
    assert _found(days) == track_records.brand_record(_tables(days), 1)["season"]


def _found(days: Iterable[date]) -> tuple[list[int], list[int], int] | None:
    found, _ = season.season(Counter(day.replace(day=1) for day in days))
    return None if found is None else (list(found.months), list(found.years), found.videos)


def _tables(days: Iterable[date]) -> Tables:
    """Return a brand's videos of these days on one channel."""
    works = [Work(1, 1, number, day, "affiliate") for number, day in enumerate(days)]
    return Tables(works, [Upload(work.video, 1, work.day, "longform") for work in works], {1: None})


def test_even_brands_rarely_have_a_season() -> None:
    """Of brands whose videos fall evenly at most 5 of 100 have a month that stands out."""
    chooser = random.Random(1)
    drawn = (Counter(_month(chooser) for _ in range(120)) for _ in range(400))
    found = [season.season(counts)[0] for counts in drawn]
    false = sum(bool(each.months) for each in found if each is not None)
    assert sum(each is not None for each in found) > 300
    assert Fraction(false, len(found)) <= Fraction(5, 100)
    assert math.isclose(season.MAX_CHANCE, 0.05)


def _month(chooser: random.Random) -> date:
    return date(chooser.randint(2018, 2022), chooser.randint(1, 12), 1)
