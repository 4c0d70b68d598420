"""Gathers questions that are asked at the same moment into one trip to another process.

Under load most of what a call to another process costs is paid for the trip, not for the question.
Nothing waits for company: a question leaves at once while fewer than `under_way` trips are being
made, and those that come meanwhile leave together when one of them is back.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")

Send = Callable[[Sequence[Q]], Awaitable[Sequence[A | Exception]]]
"""Takes questions on a trip; gives for each, in order, its answer or its own error."""


class Gatherer(Generic[Q, A]):
    """Asks by trips of at most `most` questions.

    Args:
        send: Makes one trip. What it raises itself becomes the error of all its questions.
        most: Questions on one trip.
        under_way: Trips at the same time.
        unclaimed: Told of an answer whose asker was cancelled after the question had left, and of
            an error that ended its trip.
    """

    def __init__(
        self,
        send: Send[Q, A],
        *,
        most: int,
        under_way: int = 4,
        unclaimed: Callable[[Q, A | Exception], None] = lambda _question, _answer: None,
    ) -> None:
        self._send = send
        self._most = most
        self._free = under_way
        self._unclaimed = unclaimed
        self._waiting: deque[tuple[Q, asyncio.Future[A]]] = deque()
        self._trips: set[asyncio.Task[None]] = set()

    async def ask(self, question: Q) -> A:
        """The answer to one question; cancelled before it leaves, it is never asked."""
        answer: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, answer))
        self._depart()
        return await answer

    def refuse_waiting(self, error: Exception) -> None:
        """Fails the questions that have not left yet."""
        while self._waiting:
            _, answer = self._waiting.popleft()
            if not answer.done():
                answer.set_exception(error)

    def _depart(self) -> None:
        if self._free and self._waiting:
            self._free -= 1
            trip = asyncio.ensure_future(self._trip())
            self._trips.add(trip)
            trip.add_done_callback(self._trips.discard)

    async def _trip(self) -> None:
        # The task begins in the loop's next round: what was asked in this one is aboard as well.
        aboard = self._aboard()
        try:
            if aboard:
                answers = await self._send([question for question, _ in aboard])
                for (question, future), answer in zip(aboard, answers, strict=True):
                    self._deliver(question, future, answer)
        except Exception as error:  # noqa: BLE001 - it belongs to those who asked
            for question, future in aboard:
                if future.cancelled():
                    self._unclaimed(question, error)
                elif not future.done():
                    future.set_exception(error)
        finally:
            self._free += 1
            self._depart()

    def _aboard(self) -> list[tuple[Q, "asyncio.Future[A]"]]:
        aboard: list[tuple[Q, asyncio.Future[A]]] = []
        while self._waiting and len(aboard) < self._most:
            question, future = self._waiting.popleft()
            if not future.done():
                aboard.append((question, future))
        return aboard

    def _deliver(self, question: Q, future: "asyncio.Future[A]", answer: A | Exception) -> None:
        if isinstance(answer, Exception):
            if not future.done():
                future.set_exception(answer)
        elif future.done():
            self._unclaimed(question, answer)
        else:
            future.set_result(answer)
