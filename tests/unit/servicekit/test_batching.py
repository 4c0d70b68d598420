"""Questions gathered into trips: each gets its own answer, whatever becomes of the others."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.concurrency.batching import RequestBatcher


class Peer:
    """Doubles numbers, refuses negative ones; each trip waits until it is let go."""

    def __init__(self, *, at_once: bool = False) -> None:
        self.trips: list[list[int]] = []
        self.go = asyncio.Event()
        self.most_under_way = self.under_way = 0
        if at_once:
            self.go.set()

    async def send(self, questions: Sequence[int]) -> Sequence[int | Exception]:
        self.trips.append(list(questions))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await self.go.wait()
        self.under_way -= 1
        return [ValueError(str(q)) if q < 0 else q * 2 for q in questions]


async def until(condition: Callable[[], bool]) -> None:
    """Lets the loop's other tasks go on until something has come true."""
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - nothing tells when
            await asyncio.sleep(0)


@given(
    questions=st.lists(st.integers(-100, 100), max_size=60),
    most=st.integers(1, 10),
    under_way=st.integers(1, 4),
)
def test_everybody_gets_the_answer_to_their_own_question(
    questions: list[int], most: int, under_way: int
) -> None:
    async def run() -> None:
        peer = Peer(at_once=True)
        gatherer = RequestBatcher[int, int](peer.send, most=most, under_way=under_way)
        answers = await asyncio.gather(
            *(gatherer.ask(question) for question in questions), return_exceptions=True
        )
        for question, answer in zip(questions, answers, strict=True):
            if question < 0:
                assert isinstance(answer, ValueError)
                assert str(answer) == str(question)
            else:
                assert answer == question * 2
        assert sorted(q for trip in peer.trips for q in trip) == sorted(questions)
        assert all(len(trip) <= most for trip in peer.trips)
        assert peer.most_under_way <= under_way

    asyncio.run(run())


async def test_what_is_asked_while_all_trips_are_under_way_leaves_together() -> None:
    peer = Peer()
    gatherer = RequestBatcher[int, int](peer.send, most=100, under_way=1)
    first = asyncio.create_task(gatherer.ask(1))
    await until(lambda: bool(peer.trips))
    others = [asyncio.create_task(gatherer.ask(number)) for number in range(2, 10)]
    await asyncio.sleep(0)
    peer.go.set()
    assert await asyncio.gather(first, *others) == [number * 2 for number in range(1, 10)]
    assert peer.trips == [[1], list(range(2, 10))]


async def test_a_failed_trip_is_the_error_of_all_aboard_and_of_nobody_else() -> None:
    calls = 0

    async def send(questions: Sequence[int]) -> Sequence[int | Exception]:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ConnectionError("gone")
        return questions

    gatherer = RequestBatcher[int, int](send, most=2, under_way=1)
    answers = await asyncio.gather(*(gatherer.ask(n) for n in range(4)), return_exceptions=True)
    assert [type(answer) for answer in answers[:2]] == [ConnectionError, ConnectionError]
    assert answers[2:] == [2, 3]


async def test_an_asker_that_leaves_before_the_trip_is_not_asked_for() -> None:
    peer = Peer()
    gatherer = RequestBatcher[int, int](peer.send, most=100, under_way=1)
    first = asyncio.create_task(gatherer.ask(1))
    await until(lambda: bool(peer.trips))
    second, third = (asyncio.create_task(gatherer.ask(number)) for number in (2, 3))
    await asyncio.sleep(0)
    second.cancel()
    peer.go.set()
    assert await third == 6
    assert await first == 2
    with pytest.raises(asyncio.CancelledError):
        await second
    assert peer.trips == [[1], [3]]


async def test_an_answer_whose_asker_has_left_is_handed_back() -> None:
    peer, unclaimed = Peer(), list[tuple[int, int | Exception]]()
    gatherer = RequestBatcher[int, int](
        peer.send, most=10, unclaimed=lambda question, answer: unclaimed.append((question, answer))
    )
    elicitor = asyncio.create_task(gatherer.ask(5))
    await until(lambda: bool(peer.trips))
    elicitor.cancel()
    peer.go.set()
    with pytest.raises(asyncio.CancelledError):
        await elicitor
    await until(lambda: bool(unclaimed))
    assert unclaimed == [(5, 10)]


async def test_a_question_whose_asker_left_a_trip_that_failed_is_handed_back() -> None:
    unclaimed: list[tuple[int, int | Exception]] = []
    go, lost = asyncio.Event(), ConnectionError("lost")

    async def send(_questions: Sequence[int]) -> Sequence[int]:
        await go.wait()
        raise lost

    gatherer = RequestBatcher[int, int](
        send, most=10, unclaimed=lambda question, answer: unclaimed.append((question, answer))
    )
    left, stays = (asyncio.create_task(gatherer.ask(number)) for number in (5, 6))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    left.cancel()
    go.set()
    with pytest.raises(ConnectionError):
        await stays
    assert unclaimed == [(5, lost)]


async def test_questions_that_wait_can_be_refused_and_those_under_way_go_on() -> None:
    peer = Peer()
    gatherer = RequestBatcher[int, int](peer.send, most=1, under_way=1)
    first, second = (asyncio.create_task(gatherer.ask(number)) for number in (1, 2))
    await until(lambda: bool(peer.trips))
    gatherer.fail_pending(ConnectionError("away"))
    with pytest.raises(ConnectionError):
        await second
    peer.go.set()
    assert await first == 2
    assert peer.trips == [[1]]


async def test_a_question_that_has_waited_for_long_does_not_wait_for_a_slow_trip() -> None:
    peer = Peer()
    gatherer = RequestBatcher[int, int](peer.send, most=2, patience=0.0)
    asked = [asyncio.create_task(gatherer.ask(number)) for number in range(5)]
    await until(lambda: peer.trips == [[0, 1], [2, 3], [4]])
    peer.go.set()
    assert await asyncio.gather(*asked) == [0, 2, 4, 6, 8]


async def test_questions_wait_for_the_return_of_a_trip_and_leave_together() -> None:
    peer = Peer()
    gatherer = RequestBatcher[int, int](peer.send, most=10, patience=3600.0)
    first = asyncio.create_task(gatherer.ask(0))
    await until(lambda: peer.trips == [[0]])
    others = [asyncio.create_task(gatherer.ask(number)) for number in (1, 2, 3)]
    peer.go.set()
    assert await asyncio.gather(first, *others) == [0, 2, 4, 6]
    assert peer.trips == [[0], [1, 2, 3]]
