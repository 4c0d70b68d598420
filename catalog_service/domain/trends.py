"""Changes of a sponsor's share of all sponsorships between two periods, and what they say."""

from math import sqrt
from typing import Final

RISING: Final = "rising"
STEADY: Final = "steady"
FALLING: Final = "falling"
TOO_LITTLE: Final = "too_little_to_say"
DIRECTIONS: Final = (RISING, FALLING, "all")

MIN_SUPPORT: Final = 5
"""Sponsored videos of both periods below which nothing is said."""

MIN_YOUTUBERS: Final = 2
"""Youtubers of both periods below which nothing is said: the videos of one youtuber are no independent decisions."""

SIGNIFICANT: Final = 1.96
"""Standard deviations: a share that stays the same gets as far in one of twenty cases."""


def score(videos: int, previous_videos: int, all_videos: int, all_previous: int) -> float:
    """Return how far a sponsor's videos lie from what an unchanged share gives, in standard deviations.

    Given the n videos of both periods, those of the later one are binomially distributed with p = A / (A + B) if the
    share did not change, A and B being all sponsorships of the later and the earlier period (the conditional test of
    two Poisson rates; Przyborowski and Wilenski, 1940). The score is (a - n p) / sqrt(n p (1 - p)), 0 where either
    period has none at all.
    """
    n = videos + previous_videos
    if not (n and all_videos and all_previous):
        return 0.0
    p = all_videos / (all_videos + all_previous)
    return (videos - n * p) / sqrt(n * p * (1 - p))


def trend_of(
    videos: int, previous_videos: int, all_videos: int, all_previous: int, *, youtubers: int
) -> str:
    """Return `RISING`, `FALLING` or `STEADY`; `TOO_LITTLE` where too few videos or youtubers support one."""
    if videos + previous_videos < MIN_SUPPORT or youtubers < MIN_YOUTUBERS:
        return TOO_LITTLE
    if not (all_videos and all_previous):
        return TOO_LITTLE
    deviation = score(videos, previous_videos, all_videos, all_previous)
    if abs(deviation) < SIGNIFICANT:
        return STEADY
    return RISING if deviation > 0 else FALLING
