"""Sums over channels that are known in two periods, computed one channel at a time."""

from collections.abc import Iterable
from fractions import Fraction

from catalog_service.domain.same_channels import ChannelSums

Channel = tuple[int, int, int, int]
"""A brand's videos of the later and the earlier period, and the channel's known ones."""


def sums_of(channels: Iterable[Channel]) -> ChannelSums:
    channels = list(channels)
    both = [channel for channel in channels if channel[2] and channel[3]]
    beyond = [Fraction(a * w - b * v, v + w) for a, b, v, w in both]
    return ChannelSums(
        all_youtubers=len(channels),
        youtubers=len(both),
        videos=sum(a for a, _, _, _ in both),
        previous_videos=sum(b for _, b, _, _ in both),
        known_videos=sum(v for _, _, v, _ in both),
        previous_known_videos=sum(w for _, _, _, w in both),
        later=float(sum(Fraction(a * w, v + w) for a, _, v, w in both)),
        earlier=float(sum(Fraction(b * v, v + w) for _, b, v, w in both)),
        weight=float(sum(Fraction(v * w, v + w) for _, _, v, w in both)),
        expected=float(sum(Fraction((a + b) * v, v + w) for a, b, v, w in both)),
        variance=float(sum(Fraction((a + b) * v * w, (v + w) ** 2) for a, b, v, w in both)),
        highest=float(max(beyond, default=Fraction(0))),
        lowest=float(min(beyond, default=Fraction(0))),
    )
