"""The least confidences of which sums are stored: every twentieth."""

from bisect import bisect_right
from typing import Final

PERCENTS: Final = tuple(range(0, 101, 5))
"""The steps in percent, by which sums are named: others need a migration that fills them again."""

STEPS: Final = tuple(percent / 100 for percent in PERCENTS[1:])


def step_of(confidence: float) -> int:
    """Return the highest step that a confidence reaches, in percent."""
    return PERCENTS[bisect_right(STEPS, confidence)]


def at_least(min_confidence: float) -> tuple[int, ...] | None:
    """Return the steps from a least confidence on, in percent; None if it lies between two."""
    if min_confidence not in STEPS:
        return None
    return PERCENTS[STEPS.index(min_confidence) + 1 :]
