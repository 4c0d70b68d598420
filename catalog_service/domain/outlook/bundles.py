"""Views that a bundle of one to ten videos reaches together."""

import math
import statistics
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from catalog_service.domain.outlook import projection

MIN_VIDEOS: Final = 5
MAX_BUNDLE: Final = 10
PROBABILITY: Final = 0.8
FLOOR: Final = 0.75
_DRAWS: Final = 1000
_SEED: Final = 20_261_123


@dataclass(frozen=True, slots=True)
class BundleViews:
    """Views that so many videos reach together with a probability of 0.8; a guarantee, and the probability of reaching that."""

    videos: int
    views: float
    guarantee: float
    guarantee_probability: float


def bundles(views: Sequence[float]) -> tuple[BundleViews, ...]:
    """Return the totals of one to ten videos; none from fewer than five videos.

    Of n videos it is the total that 80 % of 1,000 draws of n of the videos reach or exceed. The draws are the
    same for the same views, in whatever order. The guarantee is `guaranteed`; the share of the draws that reach it is its probability.
    """
    if len(views) < MIN_VIDEOS:
        return ()
    mean = sum(views) / len(views)
    return tuple(
        _bundle(sorted(totals), videos, mean)
        for videos, totals in enumerate(_totals(sorted(views)), start=1)
    )


def guaranteed(reached: float, videos: int, mean: float) -> float:
    """Return max(total reached with a probability of 0.8, 0.75 · n · mean), as the market writes guarantees.

    Where single videos make up the mean, the floor is more than what is reached with that probability.
    """
    return max(reached, FLOOR * videos * mean)


def _totals(views: Sequence[float]) -> Iterator[list[float]]:
    """Yield the totals of the draws for one video, two videos, and so on: each adds a video to the draw before.

    A video that was drawn is put back twice (Pólya's urn), so that the videos of one draw are more alike than those of all.
    Each drawn video varies by what `projection.spread` is drawn towards the prior, exp(z · √(k · s₀² / (k + n - 1))), and all
    of a draw by what the level of n videos is unknown, exp(z · s · √(π / 2n)): a few videos say little of either.
    """
    random = Random(_SEED)  # noqa: S311 - draws that are the same each time
    count = len(views)
    noise, level_spread = _uncertainty(views)
    levels = [math.exp(random.gauss(0, level_spread)) for _ in range(_DRAWS)]
    drawn: list[list[int]] = [[] for _ in range(_DRAWS)]
    totals = [0.0] * _DRAWS
    for _ in range(MAX_BUNDLE):
        for number, numbers in enumerate(drawn):
            at = int(random.random() * (count + len(numbers)))
            video = at if at < count else numbers[at - count]
            numbers.append(video)
            totals[number] += levels[number] * views[video] * math.exp(random.gauss(0, noise))
        yield list(totals)


def _uncertainty(views: Sequence[float]) -> tuple[float, float]:
    """Return the spreads, on logarithms, of a single video beyond those that were seen, and of the level of all."""
    logs = projection.logarithms(views)
    centre = statistics.median(projection.without_outliers(logs))
    prior = projection.PRIOR_VIDEOS * projection.PRIOR_SPREAD**2
    noise = math.sqrt(prior / (projection.PRIOR_VIDEOS + len(logs) - 1))
    return noise, projection.spread(logs, centre) * math.sqrt(math.pi / 2 / len(logs))


def _bundle(totals: Sequence[float], videos: int, mean: float) -> BundleViews:
    reached = totals[round((1 - PROBABILITY) * len(totals))]
    guarantee = guaranteed(reached, videos, mean)
    reaching = len(totals) - bisect_left(totals, guarantee)
    return BundleViews(videos, reached, guarantee, reaching / len(totals))
