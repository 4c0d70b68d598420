"""Parallel lookups share one result."""

import asyncio

import pytest

from servicekit.concurrency.single_flight import SingleFlight


class Lookup:
    """Counts its calls; returns when the test lets it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.calls = 0
        self.error = error
        self.proceed = asyncio.Event()

    async def __call__(self) -> int:
        self.calls += 1
        await self.proceed.wait()
        if self.error is not None:
            raise self.error
        return self.calls


async def _start(flights: SingleFlight[str, int], lookup: Lookup) -> list[asyncio.Task[int]]:
    calls = [asyncio.create_task(flights.do("key", lookup)) for _ in range(5)]
    await asyncio.sleep(0)
    return calls


async def test_all_get_the_one_result_and_the_next_starts_again() -> None:
    flights, lookup = SingleFlight[str, int](), Lookup()
    calls = await _start(flights, lookup)
    lookup.proceed.set()
    assert await asyncio.gather(*calls) == [1] * 5
    assert await flights.do("key", lookup) == 2


async def test_all_get_the_one_error() -> None:
    flights, lookup = SingleFlight[str, int](), Lookup(ValueError("no"))
    calls = await _start(flights, lookup)
    lookup.proceed.set()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in results] == [ValueError] * 5
    assert lookup.calls == 1


async def test_other_keys_are_fetched_for_themselves() -> None:
    flights, lookup = SingleFlight[str, int](), Lookup()
    lookup.proceed.set()
    await asyncio.gather(flights.do("a", lookup), flights.do("b", lookup))
    assert lookup.calls == 2


async def test_a_caller_that_goes_away_does_not_take_the_result_with_it() -> None:
    flights, lookup = SingleFlight[str, int](), Lookup()
    first, second, *_ = calls = await _start(flights, lookup)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    lookup.proceed.set()
    assert await second == 1
    await asyncio.gather(*calls[1:])


async def test_an_error_that_nobody_waits_for_any_more_is_not_reported() -> None:
    flights, lookup = SingleFlight[str, int](), Lookup(ValueError("no"))
    calls = await _start(flights, lookup)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    lookup.proceed.set()
    await asyncio.sleep(0)
    assert lookup.calls == 1


async def test_a_close_cancels_the_calls_under_way_and_waits_for_their_ends() -> None:
    flights, begun, ended = SingleFlight[str, None](), asyncio.Event(), False

    async def call() -> None:
        nonlocal ended
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended = True

    flight = flights.begin("key", call)
    await begun.wait()
    await flights.aclose()
    assert flight.cancelled()
    assert ended
