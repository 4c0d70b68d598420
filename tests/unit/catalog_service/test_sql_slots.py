"""Accounts take turns at the slots of callers' SQL."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from catalog_service.domain.sql.errors import SqlBusy
from catalog_service.storage.sql.slots import Slots


class Runs:
    """Statements that run until each is told to end, in the order in which they got a slot."""

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.order: list[str] = []
        self.ends: list[asyncio.Event] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def begin(self, account_id: str) -> asyncio.Task[None]:
        task = asyncio.create_task(self._run(account_id))
        self.tasks.append(task)
        await settled()
        return task

    async def _run(self, account_id: str) -> None:
        async with self.slots.of(account_id) as statement:
            await statement.wait_for_slot()
            self.order.append(account_id)
            end = asyncio.Event()
            self.ends.append(end)
            await end.wait()

    async def end_all(self) -> Sequence[str]:
        while not all(task.done() for task in self.tasks):
            self.ends.pop(0).set()
            await settled()
        return self.order


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_new_account_waits_for_the_running_statement_alone() -> None:
    runs = Runs(Slots(1, 10))
    for account in ("first", "first", "second", "second", "new"):
        await runs.begin(account)
    assert await runs.end_all() == ["first", "second", "new", "first", "second"]


async def test_an_account_that_had_a_turn_waits_for_those_who_had_none() -> None:
    runs = Runs(Slots(1, 10))
    for account in ("first", "first", "second", "new"):
        await runs.begin(account)
    assert (await runs.end_all())[1:3] == ["second", "new"]


async def test_an_account_has_two_statements_under_way_waiting_or_running() -> None:
    runs = Runs(Slots(1, 10))
    await runs.begin("greedy")
    await runs.begin("greedy")
    with pytest.raises(SqlBusy, match="this account"):
        await (await runs.begin("greedy"))
    runs.tasks.pop()
    await runs.end_all()


async def test_many_waiting_statements_turn_further_ones_away() -> None:
    runs = Runs(Slots(1, 1))
    await runs.begin("first")
    await runs.begin("second")
    with pytest.raises(SqlBusy, match="Many"):
        await (await runs.begin("third"))
    runs.tasks.pop()
    await runs.end_all()


async def test_a_caller_who_gives_up_leaves_the_queue_and_frees_its_turn() -> None:
    runs = Runs(Slots(1, 10))
    await runs.begin("first")
    gone = await runs.begin("gone")
    await runs.begin("next")
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    assert await runs.end_all() == ["first", "next"]


async def test_a_turn_that_comes_as_its_caller_gives_up_goes_to_the_next() -> None:
    runs = Runs(Slots(1, 10))
    await runs.begin("first")
    gone = await runs.begin("gone")
    await runs.begin("next")
    runs.ends.pop(0).set()
    while runs.tasks[0].done() is False:
        await asyncio.sleep(0)
        gone.cancel()
    await settled()
    assert (await runs.end_all())[-1] == "next"


async def test_a_slot_stays_taken_until_what_was_left_running_has_ended() -> None:
    slots = Slots(1, 10)
    ending = asyncio.Event()

    async def wait() -> None:
        await ending.wait()

    async with slots.of("first") as statement:
        await statement.wait_for_slot()
        statement.ending = wait()
    runs = Runs(slots)
    await runs.begin("second")
    assert runs.order == []
    ending.set()
    await settled()
    assert await runs.end_all() == ["second"]


async def test_whoever_waits_for_long_gets_an_error_and_frees_the_place() -> None:
    runs = Runs(Slots(1, 10, max_wait=0.01))
    await runs.begin("first")
    waiting = await runs.begin("second")
    with pytest.raises(SqlBusy, match="was not run and costs nothing") as caught:
        await waiting
    assert caught.value.retry_after
    runs.tasks.remove(waiting)
    assert await runs.end_all() == ["first"]
