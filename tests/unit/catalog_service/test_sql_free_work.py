"""Dry runs, refused and failed statements cost nothing, and are few."""

import pytest

from catalog_service.domain.sql.errors import SqlBusy, SqlRefused
from catalog_service.domain.sql.free_work import FreeWork


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_twenty_are_free_and_then_one_every_three_seconds() -> None:
    clock = Clock()
    free_work = FreeWork(clock)
    for _ in range(20):
        free_work.check("a")
        free_work.record("a")
    with pytest.raises(SqlBusy) as caught:
        free_work.check("a")
    assert caught.value.retry_after is not None
    free_work.check("b")
    clock.now = caught.value.retry_after + 0.01
    free_work.check("a")
    free_work.record("a")
    with pytest.raises(SqlBusy):
        free_work.check("a")


def test_it_remembers_a_bounded_number_of_accounts() -> None:
    free_work = FreeWork(Clock())
    for number in range(10_100):
        free_work.record(str(number))
    assert len(free_work._used) == 10_000


def test_long_free_statements_are_fewer() -> None:
    clock = Clock()
    free_work = FreeWork(clock)
    for _ in range(3):
        free_work.check("a")
        free_work.record("a", 0.9)
    with pytest.raises(SqlBusy):
        free_work.check("a")


@pytest.mark.parametrize(("seconds", "requests"), [(0.99, 0), (1.0, 1), (3.9, 3), (9.0, 5)])
def test_a_failed_statement_counts_as_a_request_for_each_full_second(
    seconds: float, requests: int
) -> None:
    error = SqlRefused("Not this one.")
    error.after(seconds)
    assert error.requests == requests
