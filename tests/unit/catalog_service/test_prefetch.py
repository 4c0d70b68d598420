"""Streams whose next item is made meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

import pytest

from catalog_service.prefetch import collect_cooperatively, prefetch


class Source:
    """Numbers up to `count`; records the numbers made and whether it was closed."""

    def __init__(self, count: int, fails_at: int | None = None) -> None:
        self._count, self._fails_at = count, fails_at
        self.made: list[int] = []

    async def numbers(self) -> AsyncGenerator[int]:
        for number in range(self._count):
            await asyncio.sleep(0)
            if number == self._fails_at:
                raise ValueError(number)
            self.made.append(number)
            yield number


@pytest.mark.parametrize("count", [0, 1, 5])
async def test_all_items_come_in_their_order(count: int) -> None:
    assert [item async for item in prefetch(Source(count).numbers())] == list(range(count))


async def test_the_next_item_and_no_further_one_is_made_while_one_is_worked_on() -> None:
    source = Source(5)
    async with aclosing(prefetch(source.numbers())) as items:
        assert await anext(items) == 0
        for _ in range(20):
            await asyncio.sleep(0)
        assert source.made == [0, 1]


async def test_an_error_comes_after_the_items_before_it() -> None:
    async with aclosing(prefetch(Source(5, fails_at=2).numbers())) as items:
        assert [await anext(items), await anext(items)] == [0, 1]
        with pytest.raises(ValueError, match="2"):
            await anext(items)


async def test_a_reader_that_stops_early_leaves_nothing_running() -> None:
    before = asyncio.all_tasks()
    async with aclosing(prefetch(Source(5).numbers())) as items:
        await anext(items)
    assert asyncio.all_tasks() == before


async def test_cooperative_iteration_leaves_turns_to_others() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    seen: list[int] = []

    def made() -> Iterator[int]:
        for number in range(10):
            seen.append(turns)
            yield number

    assert await collect_cooperatively(made(), at_once=2) == list(range(10))
    beside.cancel()
    assert seen[-1] >= 4
    assert seen[:2] == [0, 0]
