"""Parallel questions share one answer."""

import asyncio

import pytest

from servicekit.concurrency.single_flight import SingleFlight


class Question:
    """Counts how often it is asked; answers when told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked = 0
        self.error = error
        self.go_on = asyncio.Event()

    async def __call__(self) -> int:
        self.asked += 1
        await self.go_on.wait()
        if self.error is not None:
            raise self.error
        return self.asked


async def _start(flights: SingleFlight[str, int], question: Question) -> list[asyncio.Task[int]]:
    calls = [asyncio.create_task(flights.do("key", question)) for _ in range(5)]
    await asyncio.sleep(0)
    return calls


async def test_all_get_the_one_answer_and_the_next_asks_again() -> None:
    flights, question = SingleFlight[str, int](), Question()
    calls = await _start(flights, question)
    question.go_on.set()
    assert await asyncio.gather(*calls) == [1] * 5
    assert await flights.do("key", question) == 2


async def test_all_get_the_one_error() -> None:
    flights, question = SingleFlight[str, int](), Question(ValueError("no"))
    calls = await _start(flights, question)
    question.go_on.set()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in results] == [ValueError] * 5
    assert question.asked == 1


async def test_other_keys_are_asked_for_themselves() -> None:
    flights, question = SingleFlight[str, int](), Question()
    question.go_on.set()
    await asyncio.gather(flights.do("a", question), flights.do("b", question))
    assert question.asked == 2


async def test_a_caller_that_goes_away_does_not_take_the_answer_with_it() -> None:
    flights, question = SingleFlight[str, int](), Question()
    first, second, *_ = calls = await _start(flights, question)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    question.go_on.set()
    assert await second == 1
    await asyncio.gather(*calls[1:])


async def test_an_error_that_nobody_waits_for_any_more_is_not_reported() -> None:
    flights, question = SingleFlight[str, int](), Question(ValueError("no"))
    calls = await _start(flights, question)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    question.go_on.set()
    await asyncio.sleep(0)
    assert question.asked == 1
