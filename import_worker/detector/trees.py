"""A decision tree as `weights.json` has it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LEAF: Final = -1
"""The number of a feature that means: no question, a leaf."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A decision tree in rows: node 0 is the root.

    Attributes:
        features: The number of the feature that a node asks for, -1 for a leaf.
        thresholds: A value up to this one goes left.
        left: The node on the left.
        right: The node on the right.
        values: What a leaf adds to the score, and what a node would add as a leaf: log-odds.
    """

    features: Sequence[int]
    thresholds: Sequence[float]
    left: Sequence[int]
    right: Sequence[int]
    values: Sequence[float]
