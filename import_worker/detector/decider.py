"""The probability that a candidate is a sponsor: the sum of small boosted trees, calibrated.

`training.py` writes the weights; see docs/detection.md for how they were learnt and measured.
"""

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final

_LEAF: Final = -1


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


@dataclass(frozen=True, slots=True)
class Decision:
    """The calibrated probability of a candidate, and the features that raised it most."""

    probability: float
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Decider:
    """The trees with the names of their features, and the calibration of their sum.

    Attributes:
        names: The features by number.
        trees: The trees.
        scores: Uncalibrated scores, ascending.
        probabilities: The probability at each of the scores; between two it is interpolated.
        labels: SHA-256 of each file of labels that the weights were learnt from, by its name.
    """

    names: tuple[str, ...]
    trees: tuple[Tree, ...]
    scores: tuple[float, ...]
    probabilities: tuple[float, ...]
    labels: Mapping[str, str]

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability that a candidate is a sponsor; a feature that is missing is 0."""
        row = self._row(features)
        score = 0.0
        for root in self._roots:
            node = root
            while (feature := node.feature) != _LEAF:
                if not (value := row[feature]):
                    node = node.unseen
                elif value <= node.threshold:
                    node = node.left
                else:
                    node = node.right
            score += node.value
        return self.calibrated(score)

    def decide(self, features: Mapping[str, float], reasons: int = 3) -> Decision:
        """Return the probability of a candidate with its reasons, which take longer.

        The reasons are the features whose questions on the way
        through the trees raised the score most.
        """
        row = self._row(features)
        score = 0.0
        raised: defaultdict[int, float] = defaultdict(float)
        for root in self._roots:
            node = root
            while (feature := node.feature) != _LEAF:
                if not (value := row[feature]):
                    node = node.unseen
                elif value <= node.threshold:
                    raised[feature] += node.raised_left
                    node = node.left
                else:
                    raised[feature] += node.raised_right
                    node = node.right
            score += node.value
        best = sorted(raised, key=lambda feature: -raised[feature])[:reasons]
        return Decision(
            self.calibrated(score),
            tuple(self.names[feature] for feature in best if raised[feature] > 0),
        )

    def _row(self, features: Mapping[str, float]) -> list[float]:
        """Return the features by number."""
        row = [0.0] * len(self.names)
        numbers = self._numbers
        for name, value in features.items():
            if value and (number := numbers.get(name)) is not None:
                row[number] = value
        return row

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _roots(self) -> tuple["_Node", ...]:
        return tuple(_node(tree, 0) for tree in self.trees)

    def calibrated(self, score: float) -> float:
        """Return the probability at a score of the trees."""
        after = bisect_right(self.scores, score)
        if after == 0:
            return self.probabilities[0]
        if after == len(self.scores):
            return self.probabilities[-1]
        low, high = self.scores[after - 1], self.scores[after]
        share = (score - low) / (high - low)
        start, end = self.probabilities[after - 1], self.probabilities[after]
        return start + share * (end - start)


class _Node:
    """A node with its children at hand: a candidate goes through hundreds of nodes.

    `unseen` is the child for a feature that is 0; the children of a leaf are itself.
    """

    __slots__ = (
        "feature", "left", "raised_left", "raised_right", "right", "threshold", "unseen", "value",
    )  # fmt: skip

    def __init__(self, feature: int, threshold: float, value: float) -> None:
        """Make a node without children."""
        self.feature = feature
        self.threshold = threshold
        self.value = value
        self.left = self.right = self.unseen = self
        self.raised_left = self.raised_right = 0.0


def _node(tree: Tree, number: int) -> _Node:
    node = _Node(tree.features[number], tree.thresholds[number], tree.values[number])
    if node.feature != _LEAF:
        node.left = _node(tree, tree.left[number])
        node.right = _node(tree, tree.right[number])
        node.unseen = node.left if node.threshold >= 0 else node.right
        node.raised_left = node.left.value - node.value
        node.raised_right = node.right.value - node.value
    return node


def read_decider(weights: Mapping[str, Any]) -> Decider:
    """Return the decider of decoded weights."""
    return Decider(
        names=tuple(weights["features"]),
        trees=tuple(Tree(*rows) for rows in weights["trees"]),
        scores=tuple(weights["scores"]),
        probabilities=tuple(weights["probabilities"]),
        labels=dict(weights["labels"]),
    )


@cache
def bundled_decider() -> Decider:
    """Return the decider that comes with the detector."""
    text = resources.files("import_worker.detector").joinpath("weights.json").read_text("utf-8")
    return read_decider(json.loads(text))
