"""Gathers questions that are asked at the same moment into one trip to another process.

Most of what a call to another process costs is paid for the trip, not for the question. A question
leaves at once when no trip is being made; those that come meanwhile leave together as soon as a trip
is back, or on a further one if they have waited for long: trips that overlap have less aboard, but
a slow one must not hold up the rest.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")

Send = Callable[[Sequence[Q]], Awaitable[Sequence[A | Exception]]]
"""Takes questions on a trip; gives for each, in order, its answer or its own error."""


class RequestBatcher(Generic[Q, A]):
    """Asks by trips of at most `most` questions.

    Args:
        send: Makes one trip. What it raises itself becomes the error of all its questions.
        most: Questions on one trip.
        under_way: Trips at the same time.
        patience: Seconds that a question waits for another trip's return.
        unclaimed: Told of an answer whose asker was cancelled after the question had left, and of
            an error that ended its trip.
    """

    def __init__(
        self,
        send: Send[Q, A],
        *,
        most: int,
        under_way: int = 4,
        patience: float = 0.005,
        unclaimed: Callable[[Q, A | Exception], None] = lambda _question, _answer: None,
    ) -> None:
        self._send = send
        self._most = most
        self._under_way = under_way
        self._patience = patience
        self._unclaimed = unclaimed
        self._waiting: deque[tuple[Q, asyncio.Future[A]]] = deque()
        self._trips: set[asyncio.Task[None]] = set()
        self._reminder: asyncio.TimerHandle | None = None

    async def ask(self, question: Q) -> A:
        """The answer to one question; cancelled before it leaves, it is never asked."""
        answer: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, answer))
        if not self._trips:
            self._depart()
        elif self._reminder is None:
            self._remind()
        return await answer

    def fail_pending(self, error: Exception) -> None:
        """Fails the questions that have not left yet."""
        while self._waiting:
            _, answer = self._waiting.popleft()
            if not answer.done():
                answer.set_exception(error)

    def _remind(self) -> None:
        loop = asyncio.get_running_loop()
        self._reminder = loop.call_later(self._patience, self._lose_patience)

    def _lose_patience(self) -> None:
        self._reminder = None
        if len(self._waiting) > self._most:
            self._remind()
        self._depart()

    def _depart(self) -> None:
        if self._waiting and len(self._trips) < self._under_way:
            trip = asyncio.ensure_future(self._trip())
            self._trips.add(trip)
            trip.add_done_callback(self._back)

    def _back(self, trip: "asyncio.Task[None]") -> None:
        self._trips.discard(trip)
        self._depart()

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
