"""Slots for calls: a call without one is refused at once, and no other is."""

from typing import Any

import pytest

from servicekit.concurrency.bulkhead import CALLS_IN_FLIGHT, REJECTED_CALLS, Bulkhead
from servicekit.errors import Unavailable


def rejected_calls(part: str) -> float:
    counter: Any = REJECTED_CALLS.labels(part)
    return counter._value.get()


def under_way(part: str) -> float:
    return next(
        sample.value
        for sample in next(iter(CALLS_IN_FLIGHT.collect())).samples
        if sample.labels == {"part": part}
    )


def test_as_many_calls_as_there_are_slots_go_on_and_the_next_learns_when_to_come_again() -> None:
    bulkhead = Bulkhead("unit", 2)
    before = rejected_calls("unit")
    with bulkhead, bulkhead:
        assert under_way("unit") == 2
        with pytest.raises(Unavailable) as refused, bulkhead:
            pass
        assert refused.value.retry_after
    assert under_way("unit") == 0
    assert rejected_calls("unit") == before + 1


def test_a_call_that_fails_frees_its_slot() -> None:
    bulkhead = Bulkhead("failing", 1)
    for _ in range(2):
        with pytest.raises(ValueError, match="it failed"), bulkhead:
            raise ValueError("it failed")
    assert under_way("failing") == 0


def test_a_check_takes_no_slot() -> None:
    bulkhead = Bulkhead("looking", 1)
    for _ in range(3):
        bulkhead.check()
    with bulkhead, pytest.raises(Unavailable):
        bulkhead.check()
