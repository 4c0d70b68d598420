"""The least confidences that people ask for, of which sums are stored."""

from bisect import bisect_right
from typing import Final

STEPS: Final = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Rollups are stored by these steps: others need a migration that fills them again."""

ALL: Final = range(len(STEPS) + 1)


def step_of(confidence: float) -> int:
    """Return how many of the steps a confidence reaches."""
    return bisect_right(STEPS, confidence)


def at_least(min_confidence: float) -> range | None:
    """Return the numbers of steps that a least confidence takes in; None if it lies between two."""
    return ALL[STEPS.index(min_confidence) + 1 :] if min_confidence in STEPS else None
