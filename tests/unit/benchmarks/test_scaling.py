"""The universal scalability law is fitted to costs of requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scaling import Scalability, fitted


@given(
    st.floats(min_value=0, max_value=0.5),
    st.floats(min_value=0, max_value=0.1),
    st.floats(min_value=1, max_value=1e6),
)
def test_costs_that_follow_the_law_give_its_parameters(
    contention: float, coherency: float, cost: float
) -> None:
    law = Scalability(contention, coherency)
    costs = {n: cost * n / law.capacity(n) for n in (1, 2, 3, 4)}
    found = fitted(costs)
    assert found.contention == pytest.approx(contention, abs=1e-6)
    assert found.coherency == pytest.approx(coherency, abs=1e-6)


@given(st.lists(st.floats(min_value=1, max_value=1e6), min_size=1, max_size=6))
def test_more_processes_are_never_said_to_be_cheaper_for_each_other(costs: list[float]) -> None:
    law = fitted(dict(enumerate(costs, start=1)))
    assert law.contention >= 0
    assert law.coherency >= 0
    assert law.capacity(8) <= 8 + 1e-9


def test_without_any_sharing_capacity_is_the_number_of_processes() -> None:
    assert fitted({1: 900, 2: 900, 3: 900}).capacity(512) == pytest.approx(512)
    assert fitted({1: 900}).capacity(64) == 64
