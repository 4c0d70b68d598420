"""Dry runs, refused and failed statements cost nothing, and are few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest

from catalog_service.domain.coverage import CoverageQueries
from catalog_service.domain.sql.errors import SqlBusy, SqlRefused
from catalog_service.domain.sql.free_work import FreeWork, Stopwatch
from catalog_service.domain.sql.ports import Plan, Rows, Statistics
from catalog_service.domain.sql.queries import SqlQueries
from shapes.catalog.dataset import SqlRequest


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


class BusyStore:
    """A store whose statements wait for others, work for a while and are refused then."""

    max_cost = 1.0

    def __init__(self, clock: Clock, waits: float, works: float) -> None:
        self.clock, self.waits, self.works = clock, waits, works

    async def plan(self, account_id: str, sql: str, stopwatch: Stopwatch | None = None) -> Plan:
        raise NotImplementedError

    async def run(self, account_id: str, sql: str, stopwatch: Stopwatch | None = None) -> Rows:
        del account_id, sql
        self.clock.now += self.waits
        assert stopwatch is not None
        stopwatch.begin()
        self.clock.now += self.works
        raise SqlRefused("Not this one.")

    async def statistics(self) -> Mapping[str, Statistics]:
        return {}


async def three_statements(waits: float, works: float) -> FreeWork:
    clock = Clock()
    free_work = FreeWork(clock)
    queries = SqlQueries(BusyStore(clock, waits, works), cast("CoverageQueries", None), free_work)
    for _ in range(3):
        with pytest.raises(SqlRefused):
            await queries.run(SqlRequest(account_id="a", sql="SELECT nothing", dry_run=False))
    return free_work


async def test_waiting_for_others_is_no_work_of_an_account() -> None:
    (await three_statements(waits=5.0, works=0.0)).check("a")


async def test_free_work_of_an_account_counts_by_its_time() -> None:
    free_work = await three_statements(waits=0.0, works=0.9)
    with pytest.raises(SqlBusy):
        free_work.check("a")
