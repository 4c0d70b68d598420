"""95 % intervals of shares: Wilson's for few groups, a bootstrap over groups otherwise."""

import random
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Final, TypeVar

Interval = tuple[float, float]
_Item = TypeVar("_Item")

ENOUGH_GROUPS: Final = 10
"""With fewer groups a bootstrap says too little."""

_Z95: Final = 1.959964
_RESAMPLES: Final = 1_000
_SEED: Final = 18
_TAIL: Final = 0.025


def wilson(successes: int, trials: int) -> Interval:
    """Return the Wilson interval of a share, at 95 %; everything is possible without trials."""
    if not trials:
        return 0.0, 1.0
    share, square = successes / trials, _Z95 * _Z95
    middle = share + square / (2 * trials)
    reach = _Z95 * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def bootstrap(
    groups: Sequence[_Item], measure: Callable[[Sequence[_Item]], Sequence[float]]
) -> list[Interval]:
    """Return the 95 % interval of each figure that `measure` returns, over resampled groups.

    The same groups give the same intervals.
    """
    generator = random.Random(_SEED)  # noqa: S311 - a seeded sequence is what is wanted
    drawn = [measure(generator.choices(groups, k=len(groups))) for _ in range(_RESAMPLES)]
    low, high = int(_TAIL * _RESAMPLES), int((1 - _TAIL) * _RESAMPLES) - 1
    return [(ordered[low], ordered[high]) for ordered in map(sorted, zip(*drawn, strict=True))]
