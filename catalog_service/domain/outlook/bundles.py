"""Views that a bundle of one to ten videos reaches together."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

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

    A video that was drawn is put back twice (Pólya's urn), so that the videos of one draw are more alike than those of all:
    what is typical is itself known from a few videos only.
    """
    random = Random(_SEED)  # noqa: S311 - draws that are the same each time
    draws: list[list[float]] = [[] for _ in range(_DRAWS)]
    for _ in range(MAX_BUNDLE):
        for drawn in draws:
            at = int(random.random() * (len(views) + len(drawn)))
            drawn.append(views[at] if at < len(views) else drawn[at - len(views)])
        yield [sum(drawn) for drawn in draws]


def _bundle(totals: Sequence[float], videos: int, mean: float) -> BundleViews:
    reached = totals[round((1 - PROBABILITY) * len(totals))]
    guarantee = guaranteed(reached, videos, mean)
    reaching = len(totals) - bisect_left(totals, guarantee)
    return BundleViews(videos, reached, guarantee, reaching / len(totals))
