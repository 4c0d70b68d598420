"""Places for calls: what has none is refused at once, and nothing else is."""

from typing import Any

import pytest

from servicekit.concurrency.bulkhead import CALLS_IN_FLIGHT, REJECTED_CALLS, Bulkhead
from servicekit.errors import Unavailable


def turned_away(part: str) -> float:
    counter: Any = REJECTED_CALLS.labels(part)
    return counter._value.get()


def under_way(part: str) -> float:
    return next(
        sample.value
        for sample in next(iter(CALLS_IN_FLIGHT.collect())).samples
        if sample.labels == {"part": part}
    )


def test_as_many_calls_as_there_are_places_go_on_and_the_next_is_told_when_to_come_again() -> None:
    places = Bulkhead("unit", 2)
    before = turned_away("unit")
    with places, places:
        assert under_way("unit") == 2
        with pytest.raises(Unavailable) as refused, places:
            pass
        assert refused.value.retry_after
    assert under_way("unit") == 0
    assert turned_away("unit") == before + 1


def test_a_call_that_fails_gives_its_place_back() -> None:
    places = Bulkhead("failing", 1)
    for _ in range(2):
        with pytest.raises(ValueError, match="it failed"), places:
            raise ValueError("it failed")
    assert under_way("failing") == 0


def test_looking_takes_no_place() -> None:
    places = Bulkhead("looking", 1)
    for _ in range(3):
        places.check()
    with places, pytest.raises(Unavailable):
        places.check()
