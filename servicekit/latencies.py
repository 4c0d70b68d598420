"""The histogram of latencies that the gateway counts and the site shows."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

BOUNDS_MS: Final = (5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000)
"""Upper bounds of the buckets in milliseconds; one more bucket has what took longer."""

BUCKETS: Final = len(BOUNDS_MS) + 1


def bucket_of(seconds: float) -> int:
    """Return the index of the bucket that a latency falls into."""
    return bisect_left(BOUNDS_MS, seconds * 1_000)


def bound_of(counts: Sequence[int], share: float) -> int | None:
    """Return the least bound in milliseconds within which at least `share` of the calls ended.

    None if there were no calls, or if that many ended only beyond the last bound.
    """
    needed, reached = share * sum(counts), 0
    if not needed:
        return None
    for bound, count in zip(BOUNDS_MS, counts, strict=False):
        reached += count
        if reached >= needed:
            return bound
    return None
