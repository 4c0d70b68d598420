"""Comparison of two periods over the channels that are known in both (docs/adr/0041-same-channels.md)."""

from dataclasses import dataclass
from math import exp, sqrt
from typing import Final

from shapes.catalog.shared import SameChannels

MIN_YOUTUBERS: Final = 2
"""Youtubers of a sponsor known in both periods below which nothing is compared."""

MIN_EXPECTED: Final = 2.0
"""Videos that each period would have at an unchanged rate, below which nothing is compared."""

INTERVAL: Final = 1.645
"""Standard deviations to each end of an interval that holds the true value in nine of ten cases."""


@dataclass(frozen=True, slots=True)
class ChannelSums:
    """Sums over a sponsor's youtubers of two periods.

    Of the youtubers of either period, `all_youtubers` many, `youtubers` have known videos in both, and all else is
    of these. Of one, let a and b be the sponsor's videos of the later and the earlier period, v and w the known
    videos. Then `later` is the sum of a w / (v + w), `earlier` that of b v / (v + w), `weight` that of v w / (v + w),
    `expected` that of (a + b) v / (v + w), and `variance` that of (a + b) v w / (v + w)². The largest and the smallest
    a - (a + b) v / (v + w) of one youtuber are `highest` and `lowest`.
    """

    all_youtubers: int
    youtubers: int = 0
    videos: int = 0
    previous_videos: int = 0
    known_videos: int = 0
    previous_known_videos: int = 0
    later: float = 0.0
    earlier: float = 0.0
    weight: float = 0.0
    expected: float = 0.0
    variance: float = 0.0
    highest: float = 0.0
    lowest: float = 0.0

    @property
    def is_enough(self) -> bool:
        """Return true if two youtubers are known in both periods, and each has room for a difference."""
        unexpected = self.videos + self.previous_videos - self.expected
        return self.youtubers >= MIN_YOUTUBERS and min(self.expected, unexpected) >= MIN_EXPECTED

    @property
    def deviation(self) -> float:
        """Return the later videos beyond those that unchanged rates give."""
        return self.later - self.earlier


def change(sums: ChannelSums) -> float | None:
    """Return the growth of a sponsor's rate on the same channels; None if it was nothing before.

    With a and b videos of the sponsor among v and w known ones of a channel, later and earlier, it is

        sum(a w / (v + w)) / sum(b v / (v + w)) - 1,

    the rate ratio of Mantel and Haenszel (1959) with a channel as a stratum, less one. It is the ratio of the mean rates
    a / v and b / w, each channel with the weight v w / (v + w): more known videos of a channel change neither, and a
    channel of which one period is hardly known has hardly any weight.
    """
    return sums.later / sums.earlier - 1 if sums.earlier else None


def score(sums: ChannelSums) -> float:
    """Return how far the later videos lie from what unchanged rates give, in standard deviations.

    Given the n videos of both periods on a channel, those of the later one are binomially distributed with
    p = v / (v + w) if its rate did not change (the conditional test of two Poisson rates; Przyborowski and Wilenski,
    1940). The score is (sum(a) - sum(n p)) / sqrt(sum(n p (1 - p))) over the channels; its sign is that of `change`.
    """
    return sums.deviation / sqrt(sums.variance) if sums.variance else 0.0


def interval(sums: ChannelSums) -> tuple[float, float] | None:
    """Return the interval of `change` that holds its true value in nine of ten cases; None if a period has no video.

    The logarithm of the rate ratio has the variance sum(n p (1 - p)) / (sum(a w / (v + w)) sum(b v / (v + w)))
    (Greenland and Robins, 1985), with n and p as in `score`.
    """
    if not sums.later or not sums.earlier:
        return None
    ratio = sums.later / sums.earlier
    factor = exp(INTERVAL * sqrt(sums.variance / (sums.later * sums.earlier)))
    return ratio / factor - 1, ratio * factor - 1


def compared(sums: ChannelSums, trend: str) -> SameChannels:
    weight = sums.weight or 1.0
    low, high = interval(sums) or (None, None)
    return SameChannels(
        youtubers=sums.youtubers,
        videos=sums.videos,
        previous_videos=sums.previous_videos,
        known_videos=sums.known_videos,
        previous_known_videos=sums.previous_known_videos,
        rate=sums.later / weight,
        previous_rate=sums.earlier / weight,
        change_low=low,
        change_high=high,
        trend=trend,
    )


def reason_against(sums: ChannelSums, name: str) -> str | None:
    """Return why the periods of the sponsor of this name are not compared; None if they are."""
    if sums.is_enough:
        return None
    if not sums.all_youtubers:
        return f"No sponsorship of {name} is known of either period."
    if sums.youtubers < MIN_YOUTUBERS:
        return (
            f"{name} had {_creators(sums)}. A comparison takes at least {MIN_YOUTUBERS} creators with known videos in both "
            "periods."
        )
    return (
        f"Too little is known: on the {sums.youtubers:,} channels known in both periods {sums.previous_videos:,} of "
        f"{sums.previous_known_videos:,} videos were {name}'s before and {sums.videos:,} of {sums.known_videos:,} now. "
        f"A comparison takes so many that unchanged rates would give at least {MIN_EXPECTED:g} in each period."
    )


def _creators(sums: ChannelSums) -> str:
    """Return how many creators a sponsor had, and of how many of them videos of both periods are known, if hardly any are."""
    if sums.all_youtubers == 1:
        periods = "both" if sums.youtubers else "one of them alone"
        return f"1 creator in the two periods, with known videos in {periods}"
    known = f"{sums.youtubers:,}" if sums.youtubers else "none"
    return (
        f"{sums.all_youtubers:,} creators in the two periods; of {known} of them videos of both periods are "
        "known"
    )
