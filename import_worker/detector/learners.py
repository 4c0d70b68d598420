"""scikit-learn's boosted trees and its calibration of their scores, with the types that training needs.

scikit-learn is a development dependency; only training imports this module.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from import_worker.detector.directions import direction_of

# scikit-learn's annotations are partial.
_BOOSTING: Final[Any] = HistGradientBoostingClassifier
_ISOTONIC: Final[Any] = IsotonicRegression
_LOGISTIC: Final[Any] = LogisticRegression

_TREES: Final = 150
_LEAVES: Final = 8
_LEAST_IN_LEAF: Final = 10
_RATE: Final = 0.06
_SHRINKAGE: Final = 1.0
_SHARE_OF_FEATURES: Final = 0.3
_BINS: Final = 32
"""Steps of a feature that are told apart: most are 0 or 1."""

_SEED: Final = 0
_POINTS: Final = 40
_DIGITS: Final = 4
_SUREST: Final = 0.98
"""Isotonic regression calls the few highest scores certain, which no claim is."""

_LOGISTIC_SHRINKAGE: Final = 0.01
"""Two numbers are fitted to thousands of scores: next to none is needed."""


Matrix = Sequence[Sequence[float]]


class BoostedTrees:
    """Gradient-boosted trees that keep to the features' directions, fitted with a fixed seed."""

    def __init__(
        self,
        rows: Matrix,
        is_right: Sequence[bool],
        names: Sequence[str],
        weights: Sequence[float],
    ) -> None:
        model = _BOOSTING(
            max_iter=_TREES,
            learning_rate=_RATE,
            max_leaf_nodes=_LEAVES,
            min_samples_leaf=_LEAST_IN_LEAF,
            l2_regularization=_SHRINKAGE,
            max_features=_SHARE_OF_FEATURES,
            max_bins=_BINS,
            monotonic_cst=[direction_of(name) for name in names],
            early_stopping=False,
            random_state=_SEED,
        )
        # One thread: sums in one order give the same trees everywhere, and threads that wait for a busy core take minutes.
        with threadpool_limits(limits=1):
            self._model = model.fit(np.array(rows), list(is_right), sample_weight=weights)

    def scores(self, rows: Matrix) -> list[float]:
        """Return the sum of the trees' leaves for each row: log-odds, but for a constant."""
        return [
            float(score) for score in self._model.decision_function(np.array(rows)) - self._base
        ]

    def trees(self) -> list[list[list[Any]]]:
        """Return the trees in rows, as `decider.Tree` has them."""
        # There is no public access to the trees; the test of a decider's scores against the model's holds this.
        return [_tree_rows(trees[0].nodes) for trees in self._model._predictors]  # noqa: SLF001

    @property
    def _base(self) -> float:
        return float(self._model._baseline_prediction.item())  # noqa: SLF001


def calibration(
    scores: Sequence[float], is_right: Sequence[bool]
) -> tuple[list[float], list[float]]:
    """Return scores, ascending, with the probability at each: the mean of isotonic and of logistic regression.

    Isotonic regression alone follows the chance of few scores in steps; logistic regression alone holds to one curve.
    """
    known = np.array(scores)
    isotonic = _ISOTONIC(out_of_bounds="clip").fit(
        known, np.array([float(right) for right in is_right])
    )
    logistic = _LOGISTIC(C=1 / _LOGISTIC_SHRINKAGE).fit(known.reshape(-1, 1), list(is_right))
    # Equal steps in rank: many scores are low, and the high ones matter as much.
    steps = np.linspace(0, 1, _POINTS)
    lowest, highest = float(known.min()), float(known.max())
    points = np.unique(
        np.round(
            np.concatenate([np.linspace(lowest, highest, _POINTS), np.quantile(known, steps)]),
            _DIGITS,
        )
    )
    means = (isotonic.predict(points) + logistic.predict_proba(points.reshape(-1, 1))[:, 1]) / 2
    return (
        [round(float(point), _DIGITS) for point in points],
        [round(min(float(value), _SUREST), _DIGITS) for value in means],
    )


def _tree_rows(nodes: Any) -> list[list[Any]]:
    rows = [
        (-1, 0, 0, 0, round(float(node["value"]), _DIGITS))
        if node["is_leaf"]
        else (
            int(node["feature_idx"]),
            round(float(node["num_threshold"]), _DIGITS),
            int(node["left"]),
            int(node["right"]),
            round(float(node["value"]), _DIGITS),
        )
        for node in nodes
    ]
    return [list(column) for column in zip(*rows, strict=True)]
