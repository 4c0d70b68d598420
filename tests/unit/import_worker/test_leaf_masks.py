"""The sum of trees by masks of leaves: what walks through the trees add up to."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from import_worker.detector.leaf_masks import LeafMasks
from import_worker.detector.trees import LEAF, Tree

FEATURES = 5
THRESHOLDS = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5000001, 1.0])
VALUES = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0])


@dataclass
class Growing:
    """A tree of random questions that grows by splitting its leaves."""

    features: list[int] = field(default_factory=lambda: [LEAF])
    thresholds: list[float] = field(default_factory=lambda: [0.0])
    left: list[int] = field(default_factory=lambda: [0])
    right: list[int] = field(default_factory=lambda: [0])

    def split(self, leaf: int, feature: int, threshold: float) -> None:
        nodes = [node for node, feature in enumerate(self.features) if feature == LEAF]
        node = nodes[leaf % len(nodes)]
        self.features[node], self.thresholds[node] = feature, threshold
        self.left[node], self.right[node] = len(self.features), len(self.features) + 1
        self.features += [LEAF, LEAF]
        self.thresholds += [0.0, 0.0]
        self.left += [0, 0]
        self.right += [0, 0]

    def grown(self, values: list[float]) -> Tree:
        return Tree(
            self.features, self.thresholds, self.left, self.right, values[: len(self.features)]
        )


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    growing = Growing()
    for _ in range(draw(st.integers(0, 7))):
        growing.split(draw(st.integers(0, 7)), draw(st.integers(0, FEATURES - 1)), draw(THRESHOLDS))
    values = st.floats(-4, 4).map(lambda value: round(value, 4))
    return growing.grown(draw(st.lists(values, min_size=15, max_size=15)))


def expected_leaf(tree: Tree, row: dict[int, float]) -> float:
    node = 0
    while (feature := tree.features[node]) != LEAF:
        goes_left = row.get(feature, 0.0) <= tree.thresholds[node]
        node = tree.left[node] if goes_left else tree.right[node]
    return tree.values[node]


@given(
    st.lists(trees(), max_size=12),
    st.dictionaries(st.integers(0, FEATURES + 1), VALUES, max_size=FEATURES),
)
def test_the_sum_is_that_of_following_each_tree_from_its_root(
    grown: list[Tree], row: dict[int, float]
) -> None:
    expected = sum(expected_leaf(tree, row) for tree in grown)
    assert LeafMasks(grown).score(row.items()) == pytest.approx(expected, abs=1e-9)


def test_a_tree_of_nine_leaves_is_refused() -> None:
    growing = Growing()
    for leaf in range(8):
        growing.split(leaf, 0, 0.5)
    with pytest.raises(ValueError, match="more than eight leaves"):
        LeafMasks([growing.grown([0.0] * 17)])


def test_a_negative_threshold_is_refused() -> None:
    growing = Growing()
    growing.split(0, 0, -0.5)
    with pytest.raises(ValueError, match="negative"):
        LeafMasks([growing.grown([0.0] * 3)])
