"""The decider: the walk through its trees, its calibration, and the weights that ship."""

import json
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from import_worker.detector.decider import Decider, bundled_decider, read_decider

SHARES = st.floats(min_value=0, max_value=1, allow_nan=False)


def weights(**more: Any) -> dict[str, Any]:
    """A tree that asks for "code" first and for "link" where there is no code."""
    return {
        "features": ["code", "link"],
        "trees": [
            [[0, 1, -1, -1, -1], [0.5, 0.5, 0, 0, 0], [1, 3, 0, 0, 0], [2, 4, 0, 0, 0],
             [0.4, 0.2, 0.9, 0.1, 0.3]],
        ],
        "scores": [0.0, 1.0],
        "probabilities": [0.0, 1.0],
        "labels": {"labels.jsonl": "ab"},
        **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("features", "probability"),
    [({}, 0.1), ({"link": 1.0}, 0.3), ({"code": 1.0}, 0.9), ({"code": 0.5, "link": 0.5}, 0.1)],
)
def test_a_value_up_to_the_threshold_goes_left_and_a_missing_feature_is_nought(
    features: dict[str, float], probability: float
) -> None:
    assert read_decider(weights()).decide(features).probability == pytest.approx(probability)


def test_the_score_is_the_sum_of_all_trees() -> None:
    against = [[-1], [0], [0], [0], [-0.25]]
    decider = read_decider(weights(trees=[*weights()["trees"], against]))
    assert decider.decide({"code": 1.0}).probability == pytest.approx(0.65)


@given(st.dictionaries(st.sampled_from(["code", "link", "unknown"]), SHARES))
def test_the_probability_is_the_same_with_and_without_reasons(features: dict[str, float]) -> None:
    decider = read_decider(weights())
    assert decider.probability(features) == decider.decide(features).probability


def test_reasons_are_features_that_the_candidate_has_and_that_raised_its_score() -> None:
    decider = read_decider(weights())
    assert decider.decide({"code": 1.0, "unknown": 1.0}).reasons == ("code",)
    assert decider.decide({"link": 1.0}).reasons == ("link",)
    assert decider.decide({"code": 0.4}).reasons == ()


def test_no_more_reasons_are_given_than_are_wanted() -> None:
    assert read_decider(weights()).decide({"code": 1.0}, 0).reasons == ()


def test_a_probability_between_two_points_is_interpolated_and_outside_them_is_the_last() -> None:
    decider = read_decider(weights(scores=[0.2, 0.6], probabilities=[0.1, 0.9]))
    assert decider.calibrated(0.0) == 0.1
    assert decider.calibrated(0.4) == pytest.approx(0.5)
    assert decider.calibrated(0.6) == 0.9
    assert decider.calibrated(1.0) == 0.9


@given(
    points=st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=12),
    scores=st.lists(SHARES, min_size=2, max_size=8),
)
def test_a_higher_score_never_has_a_lower_probability(
    points: list[tuple[float, float]], scores: list[float]
) -> None:
    known = sorted({score for score, _ in points})
    probabilities = sorted(value for _, value in points)[: len(known)]
    decider = Decider((), (), tuple(known), tuple(probabilities), {})
    found = [decider.calibrated(score) for score in sorted(scores)]
    assert all(low <= high + 1e-12 for low, high in pairwise(found))
    assert all(probabilities[0] - 1e-12 <= value <= probabilities[-1] + 1e-12 for value in found)


def test_the_weights_that_ship_are_whole_trees_with_a_rising_calibration() -> None:
    decider = bundled_decider()
    for tree in decider.trees:
        sizes = {len(tree.features), len(tree.thresholds), len(tree.left), len(tree.right)}
        assert sizes == {len(tree.values)}
        for node, feature in enumerate(tree.features):
            assert -1 <= feature < len(decider.names)
            # A child stands behind its parent: every walk ends.
            assert feature == -1 or node < min(tree.left[node], tree.right[node])
    assert list(decider.probabilities) == sorted(decider.probabilities)
    assert list(decider.scores) == sorted(set(decider.scores))


def test_the_weights_that_ship_name_the_labels_they_were_learnt_from() -> None:
    text = resources.files("import_worker.detector").joinpath("weights.json").read_text("utf-8")
    labels = json.loads(text)["labels"]
    assert labels
    assert all(len(digest) == 64 for digest in labels.values())
