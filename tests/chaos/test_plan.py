"""The plan of faults is the same for the same seed, and never takes both servers of an engine."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.chaos.plan import LOAD_SECONDS, plan

SEEDS = st.integers(0, 2**32)
NUMBERS = st.integers(0, 10_000)


@given(SEEDS, NUMBERS)
def test_a_seed_gives_the_same_faults_again(seed: int, number: int) -> None:
    assert plan(seed, number) == plan(seed, number)


@given(SEEDS, NUMBERS)
def test_each_engine_and_process_breaks_once_a_round(seed: int, number: int) -> None:
    faults = plan(seed, number)
    assert faults
    assert len({fault.engine for fault in faults}) == len(faults)


@given(SEEDS, NUMBERS)
def test_every_fault_begins_and_is_healed_under_load(seed: int, number: int) -> None:
    assert all(
        fault.at > 0 and fault.at + fault.seconds < LOAD_SECONDS for fault in plan(seed, number)
    )


@given(SEEDS, NUMBERS)
def test_only_kinds_that_the_machine_can_make_are_drawn(seed: int, number: int) -> None:
    assert {fault.kind for fault in plan(seed, number, ("kill", "pause"))} <= {"kill", "pause"}


def test_rounds_of_a_run_cover_every_kind_and_part() -> None:
    drawn = {(fault.kind, fault.part) for number in range(1500) for fault in plan(1, number)}
    assert {kind for kind, _ in drawn} == {"kill", "pause", "partition", "skew", "promotion"}
    assert len(drawn) == 53
