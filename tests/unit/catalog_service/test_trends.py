"""Trends of a sponsor's share."""

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.trends import (
    FALLING,
    MIN_SUPPORT,
    RISING,
    SIGNIFICANT,
    STEADY,
    TOO_LITTLE,
    score,
    trend_of,
)

COUNTS = st.integers(0, 500)
ALL = st.integers(1, 5_000)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((20, 5, 100, 100), RISING),
        ((5, 20, 100, 100), FALLING),
        ((11, 10, 100, 100), STEADY),
        ((3, 0, 100, 100), TOO_LITTLE),
        # The catalogue looked at four times as many videos in the later period.
        ((40, 10, 400, 100), STEADY),
        ((20, 20, 400, 100), FALLING),
        # Nothing is known of the period before.
        ((40, 0, 400, 0), TOO_LITTLE),
    ],
)
def test_a_trend_compares_shares_and_needs_support(
    counts: tuple[int, int, int, int], expected: str
) -> None:
    assert trend_of(*counts, youtubers=2) == expected


def test_one_youtuber_makes_no_trend() -> None:
    assert trend_of(20, 5, 100, 100, youtubers=1) == TOO_LITTLE


def test_the_score_is_in_standard_deviations_of_an_unchanged_share() -> None:
    assert isclose(score(16, 9, 100, 100), (16 - 12.5) / 2.5)


@given(COUNTS, COUNTS, ALL, ALL)
def test_exchanging_the_periods_turns_the_score_around(
    videos: int, previous: int, all_videos: int, all_previous: int
) -> None:
    ahead = score(videos, previous, all_videos, all_previous)
    back = score(previous, videos, all_previous, all_videos)
    assert isclose(ahead, -back, abs_tol=1e-9)


@given(COUNTS, COUNTS, ALL, ALL)
def test_a_trend_follows_from_score_and_support(
    videos: int, previous: int, all_videos: int, all_previous: int
) -> None:
    trend = trend_of(videos, previous, all_videos, all_previous, youtubers=2)
    deviation = score(videos, previous, all_videos, all_previous)
    if videos + previous < MIN_SUPPORT:
        assert trend == TOO_LITTLE
    elif abs(deviation) < SIGNIFICANT:
        assert trend == STEADY
    else:
        assert trend == (RISING if deviation > 0 else FALLING)
