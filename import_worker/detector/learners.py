"""scikit-learn's forest and isotonic regression with the types that training needs.

scikit-learn is a development dependency; only training imports this module.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.isotonic import IsotonicRegression

# scikit-learn's annotations are partial, and wrong for a share of the features.
_FOREST: Final[Any] = ExtraTreesClassifier
_ISOTONIC: Final[Any] = IsotonicRegression

_TREES: Final = 60
_DEPTH: Final = 14
_LEAST_IN_LEAF: Final = 2
_SHARE_OF_FEATURES: Final = 0.25
_SEED: Final = 0
_POINTS: Final = 40
_DIGITS: Final = 4
_SUREST: Final = 0.98
"""Isotonic regression calls the few highest scores certain, which no claim is."""


Matrix = Sequence[Sequence[float]]


class Forest:
    """Extremely randomised trees, fitted with a fixed seed."""

    def __init__(self, rows: Matrix, is_right: Sequence[bool]) -> None:
        self._model = _FOREST(
            _TREES,
            max_depth=_DEPTH,
            min_samples_leaf=_LEAST_IN_LEAF,
            max_features=_SHARE_OF_FEATURES,
            random_state=_SEED,
        ).fit(np.array(rows), list(is_right))

    def scores(self, rows: Matrix) -> list[float]:
        """Return the share of right candidates that the trees give each row."""
        classes = [bool(label) for label in self._model.classes_]
        if True not in classes:
            return [0.0] * len(rows)
        column = classes.index(True)
        return [float(row[column]) for row in self._model.predict_proba(np.array(rows))]

    def trees(self) -> list[list[list[Any]]]:
        """Return the trees in rows, as `decider.Tree` has them."""
        return [_tree_rows(tree.tree_) for tree in self._model.estimators_]


def isotonic(scores: Sequence[float], is_right: Sequence[bool]) -> tuple[list[float], list[float]]:
    """Return scores, ascending, with the probability at each by isotonic regression."""
    known = np.array(scores)
    model = _ISOTONIC(out_of_bounds="clip").fit(
        known, np.array([float(right) for right in is_right])
    )
    # Equal steps in rank: many scores are low, and the high ones matter as much.
    points = np.unique(
        np.round(
            np.concatenate(
                [np.linspace(0, 1, _POINTS), np.quantile(known, np.linspace(0, 1, _POINTS))]
            ),
            _DIGITS,
        )
    )
    return (
        [round(float(point), _DIGITS) for point in points],
        [round(min(float(value), _SUREST), _DIGITS) for value in model.predict(points)],
    )


def _tree_rows(tree: Any) -> list[list[Any]]:
    inner = [left >= 0 for left in tree.children_left]
    features = zip(tree.feature, inner, strict=True)
    thresholds = zip(tree.threshold, inner, strict=True)
    return [
        [int(feature) if is_inner else -1 for feature, is_inner in features],
        [round(float(value), _DIGITS) if is_inner else 0 for value, is_inner in thresholds],
        [max(int(child), 0) for child in tree.children_left],
        [max(int(child), 0) for child in tree.children_right],
        [round(float(value[0][-1] / value[0].sum()), _DIGITS) for value in tree.value],
    ]
