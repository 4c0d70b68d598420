"""When a Valkey that failed is counted by again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gateway.quota.steadiness import Steadiness


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_valkey_that_never_failed_is_counted_by() -> None:
    assert Steadiness(Clock()).worked() == 0


def test_after_a_first_failure_one_write_is_enough() -> None:
    steadiness = Steadiness(Clock())
    steadiness.failed()
    assert steadiness.worked() == 0


def test_each_failure_soon_after_the_return_doubles_the_wait_up_to_thirty_seconds() -> None:
    clock = Clock()
    steadiness = Steadiness(clock)
    waits: list[float] = []
    for _ in range(8):
        steadiness.failed()
        steadiness.failed()  # of the same outage
        waits.append(steadiness.worked())
        clock.now += waits[-1]
        assert steadiness.worked() == 0
    assert waits == [0, 1, 2, 4, 8, 16, 30, 30]


def test_a_failure_while_it_is_watched_begins_the_watch_anew() -> None:
    clock = Clock()
    steadiness = Steadiness(clock)
    for _ in range(3):
        steadiness.failed()
        clock.now += steadiness.worked()
        steadiness.worked()
    steadiness.failed()
    assert steadiness.worked() == 4
    clock.now += 3
    steadiness.failed()
    assert steadiness.worked() == 4


def test_a_failure_long_after_the_return_is_a_first_one_again() -> None:
    clock = Clock()
    steadiness = Steadiness(clock)
    for _ in range(3):
        steadiness.failed()
        clock.now += steadiness.worked()
        steadiness.worked()
    clock.now += 60
    steadiness.failed()
    assert steadiness.worked() == 0


@given(st.lists(st.sampled_from(["failed", "worked", "second"]), max_size=200))
def test_it_returns_few_times_however_often_it_fails(events: list[str]) -> None:
    """In `s` seconds it returns at most twice, and once more for each doubling of the wait."""
    clock = Clock()
    steadiness = Steadiness(clock)
    returns, is_away = 0, False
    for event in events:
        if event == "failed":
            steadiness.failed()
            is_away = True
        elif event == "second":
            clock.now += 1
        elif steadiness.worked() == 0 and is_away:
            returns, is_away = returns + 1, False
    assert 2 ** max(0, returns - 1) - 1 <= clock.now or returns > 6
