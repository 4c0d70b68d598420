"""Requests sent in batches: each gets its own response, whatever becomes of the others."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.concurrency.batching import RequestBatcher


class Peer:
    """Doubles numbers, refuses negative ones; each batch waits until the test lets it go."""

    def __init__(self, *, at_once: bool = False) -> None:
        self.batches: list[list[int]] = []
        self.go = asyncio.Event()
        self.peak_in_flight = self.max_in_flight = 0
        if at_once:
            self.go.set()

    async def send(self, requests: Sequence[int]) -> Sequence[int | Exception]:
        self.batches.append(list(requests))
        self.max_in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.max_in_flight)
        await self.go.wait()
        self.max_in_flight -= 1
        return [ValueError(str(q)) if q < 0 else q * 2 for q in requests]


async def until(condition: Callable[[], bool]) -> None:
    """Lets the loop's other tasks go on until something has come true."""
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - no event to wait for
            await asyncio.sleep(0)


@given(
    requests=st.lists(st.integers(-100, 100), max_size=60),
    max_size=st.integers(1, 10),
    max_in_flight=st.integers(1, 4),
)
def test_everybody_gets_the_response_to_their_own_request(
    requests: list[int], max_size: int, max_in_flight: int
) -> None:
    async def run() -> None:
        peer = Peer(at_once=True)
        batcher = RequestBatcher[int, int](
            peer.send, max_size=max_size, max_in_flight=max_in_flight
        )
        responses = await asyncio.gather(
            *(batcher.submit(request) for request in requests), return_exceptions=True
        )
        for request, response in zip(requests, responses, strict=True):
            if request < 0:
                assert isinstance(response, ValueError)
                assert str(response) == str(request)
            else:
                assert response == request * 2
        assert sorted(q for batch in peer.batches for q in batch) == sorted(requests)
        assert all(len(batch) <= max_size for batch in peer.batches)
        assert peer.peak_in_flight <= max_in_flight

    asyncio.run(run())


async def test_requests_that_wait_for_a_free_batch_leave_together() -> None:
    peer = Peer()
    batcher = RequestBatcher[int, int](peer.send, max_size=100, max_in_flight=1)
    first = asyncio.create_task(batcher.submit(1))
    await until(lambda: bool(peer.batches))
    others = [asyncio.create_task(batcher.submit(number)) for number in range(2, 10)]
    await asyncio.sleep(0)
    peer.go.set()
    assert await asyncio.gather(first, *others) == [number * 2 for number in range(1, 10)]
    assert peer.batches == [[1], list(range(2, 10))]


async def test_a_failed_batch_is_the_error_of_all_its_requests_and_of_no_other() -> None:
    calls = 0

    async def send(requests: Sequence[int]) -> Sequence[int | Exception]:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ConnectionError("gone")
        return requests

    batcher = RequestBatcher[int, int](send, max_size=2, max_in_flight=1)
    responses = await asyncio.gather(*(batcher.submit(n) for n in range(4)), return_exceptions=True)
    assert [type(response) for response in responses[:2]] == [ConnectionError, ConnectionError]
    assert responses[2:] == [2, 3]


async def test_a_request_whose_caller_leaves_before_the_batch_is_not_sent() -> None:
    peer = Peer()
    batcher = RequestBatcher[int, int](peer.send, max_size=100, max_in_flight=1)
    first = asyncio.create_task(batcher.submit(1))
    await until(lambda: bool(peer.batches))
    second, third = (asyncio.create_task(batcher.submit(number)) for number in (2, 3))
    await asyncio.sleep(0)
    second.cancel()
    peer.go.set()
    assert await third == 6
    assert await first == 2
    with pytest.raises(asyncio.CancelledError):
        await second
    assert peer.batches == [[1], [3]]


async def test_a_response_whose_caller_has_left_is_handed_back() -> None:
    peer, unclaimed = Peer(), list[tuple[int, int | Exception]]()
    batcher = RequestBatcher[int, int](
        peer.send,
        max_size=10,
        unclaimed=lambda request, response: unclaimed.append((request, response)),
    )
    caller = asyncio.create_task(batcher.submit(5))
    await until(lambda: bool(peer.batches))
    caller.cancel()
    peer.go.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await until(lambda: bool(unclaimed))
    assert unclaimed == [(5, 10)]


async def test_a_request_whose_caller_left_a_batch_that_failed_is_handed_back() -> None:
    unclaimed: list[tuple[int, int | Exception]] = []
    go, lost = asyncio.Event(), ConnectionError("lost")

    async def send(_requests: Sequence[int]) -> Sequence[int]:
        await go.wait()
        raise lost

    batcher = RequestBatcher[int, int](
        send, max_size=10, unclaimed=lambda request, response: unclaimed.append((request, response))
    )
    left, stays = (asyncio.create_task(batcher.submit(number)) for number in (5, 6))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    left.cancel()
    go.set()
    with pytest.raises(ConnectionError):
        await stays
    assert unclaimed == [(5, lost)]


async def test_requests_that_wait_can_be_refused_and_those_under_way_go_on() -> None:
    peer = Peer()
    batcher = RequestBatcher[int, int](peer.send, max_size=1, max_in_flight=1)
    first, second = (asyncio.create_task(batcher.submit(number)) for number in (1, 2))
    await until(lambda: bool(peer.batches))
    batcher.fail_pending(ConnectionError("away"))
    with pytest.raises(ConnectionError):
        await second
    peer.go.set()
    assert await first == 2
    assert peer.batches == [[1]]


async def test_a_request_that_has_waited_for_long_does_not_wait_for_a_slow_batch() -> None:
    peer = Peer()
    batcher = RequestBatcher[int, int](peer.send, max_size=2, max_wait=0.0)
    calls = [asyncio.create_task(batcher.submit(number)) for number in range(5)]
    await until(lambda: peer.batches == [[0, 1], [2, 3], [4]])
    peer.go.set()
    assert await asyncio.gather(*calls) == [0, 2, 4, 6, 8]


async def test_requests_wait_for_the_end_of_a_batch_and_leave_together() -> None:
    peer = Peer()
    batcher = RequestBatcher[int, int](peer.send, max_size=10, max_wait=3600.0)
    first = asyncio.create_task(batcher.submit(0))
    await until(lambda: peer.batches == [[0]])
    others = [asyncio.create_task(batcher.submit(number)) for number in (1, 2, 3)]
    peer.go.set()
    assert await asyncio.gather(first, *others) == [0, 2, 4, 6]
    assert peer.batches == [[0], [1, 2, 3]]


async def test_requests_with_the_key_of_a_batch_in_flight_wait_and_go_together() -> None:
    peer = Peer()
    batcher = RequestBatcher[int, int](peer.send, max_size=10, max_wait=0.0, key=lambda q: q % 2)
    requests = [asyncio.create_task(batcher.submit(1))]
    await until(lambda: len(peer.batches) == 1)
    requests += [asyncio.create_task(batcher.submit(request)) for request in (3, 2, 5)]
    await until(lambda: len(peer.batches) == 2)
    assert peer.batches == [[1], [2]]
    peer.go.set()
    assert await asyncio.gather(*requests) == [2, 6, 4, 10]
    assert peer.batches == [[1], [2], [3, 5]]


def _batch_tasks() -> set[asyncio.Task[Any]]:
    """Return the tasks that send a batch: tests of before may have left others."""
    return {task for task in asyncio.all_tasks() if "_send_batch" in repr(task.get_coro())}


async def test_while_all_keys_that_wait_are_in_flight_no_batch_begins() -> None:
    peer = Peer()
    batcher = RequestBatcher[int, int](peer.send, max_size=10, max_wait=0.0, key=lambda q: q % 2)
    requests = [asyncio.create_task(batcher.submit(1))]
    await until(lambda: bool(peer.batches))
    requests.append(asyncio.create_task(batcher.submit(3)))
    batches = _batch_tasks()
    for _ in range(100):
        await asyncio.sleep(0)
        assert _batch_tasks() == batches
    peer.go.set()
    assert await asyncio.gather(*requests) == [2, 6]
    assert peer.batches == [[1], [3]]
