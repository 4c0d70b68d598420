"""The sum of many small trees without a walk through each: which leaves the values of the features leave over.

Lucchese et al., "QuickScorer", SIGIR 2015. Each tree has a byte, a bit for each leaf from the left on. A split that is
answered "right" rules out the leaves on its left; of those that are left over the first is the leaf that a walk would
end at. What all splits about one feature rule out together depends on its value alone, and is worked out before.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final

from import_worker.detector.trees import LEAF, Tree

_BITS: Final = 8


@dataclass(frozen=True, slots=True)
class _Split:
    feature: int
    threshold: float
    left_over: int
    """The leaves of the tree that a value above the threshold leaves over."""


@dataclass(frozen=True, slots=True)
class _Masks:
    """The leaves that a feature leaves over, after each of its thresholds that its value is above."""

    thresholds: Sequence[float]
    left_over: Sequence[int]


class LeafMasks:
    """Trees of at most eight leaves whose thresholds are not negative: a feature that is 0 rules nothing out."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        """Work out what each value rules out.

        Raises:
            ValueError: A tree has more than eight leaves, or a threshold is negative.
        """
        self._count = len(trees)
        self._all = (1 << _BITS * self._count) - 1
        self._values = [_by_byte(tree) for tree in trees]
        self._masks = _masks_of_features(trees, self._all)

    def score(self, features: Iterable[tuple[int, float]]) -> float:
        """Return the sum of the leaves, in log-odds; features are (number, value), 0 for what is missing."""
        left_over = self._all
        masks = self._masks
        for feature, value in features:
            if (of_feature := masks.get(feature)) is not None:
                left_over &= of_feature.left_over[bisect_left(of_feature.thresholds, value)]
        leaves = left_over.to_bytes(self._count, "little")
        return fsum(map(list[float].__getitem__, self._values, leaves))


def _masks_of_features(trees: Sequence[Tree], everything: int) -> Mapping[int, _Masks]:
    rulings: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
    for number, tree in enumerate(trees):
        for split in _splits(tree):
            if split.threshold < 0:
                raise ValueError("a threshold is negative")
            outside = everything ^ (((1 << _BITS) - 1) << _BITS * number)
            left_over = outside | split.left_over << _BITS * number
            rulings[split.feature].append((split.threshold, left_over))
    return {feature: _cumulated(sorted(rows), everything) for feature, rows in rulings.items()}


def _cumulated(rulings: Sequence[tuple[float, int]], everything: int) -> _Masks:
    masks = [everything]
    for _, left_over in rulings:
        masks.append(masks[-1] & left_over)
    return _Masks([threshold for threshold, _ in rulings], masks)


def _splits(tree: Tree) -> Iterator[_Split]:
    bits = {leaf: 1 << position for position, leaf in enumerate(_leaves(tree, 0))}
    everything = (1 << _BITS) - 1
    for node, feature in enumerate(tree.features):
        if feature != LEAF:
            on_the_left = sum(bits[leaf] for leaf in _leaves(tree, tree.left[node]))
            yield _Split(feature, tree.thresholds[node], everything ^ on_the_left)


def _leaves(tree: Tree, node: int) -> list[int]:
    """Return the leaves below a node, from the left on."""
    if tree.features[node] == LEAF:
        return [node]
    return _leaves(tree, tree.left[node]) + _leaves(tree, tree.right[node])


def _by_byte(tree: Tree) -> list[float]:
    """Return what a tree adds to the score, by the byte of the leaves that are left over."""
    leaves = _leaves(tree, 0)
    if len(leaves) > _BITS:
        raise ValueError("a tree has more than eight leaves")
    values = [tree.values[leaf] for leaf in leaves]
    # Beyond the last leaf the bits stay set; a byte without any is not reached.
    return [values[min((byte & -byte).bit_length(), len(values)) - 1] for byte in range(1 << _BITS)]
