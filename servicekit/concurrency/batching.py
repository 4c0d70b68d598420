"""Batch concurrent requests to another process into one RPC or statement.

Most of the cost of a call to another process is paid per message, not per request. A request is sent
at once when no batch is in flight; those that come meanwhile are sent together when one returns, or in
a further batch if they have waited for long: overlapping batches are smaller, but a slow one must not
delay the rest.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

Req = TypeVar("Req")
Res = TypeVar("Res")

Send = Callable[[Sequence[Req]], Awaitable[Sequence[Res | Exception]]]
"""Sends a batch; returns for each request, in order, its response or its own error."""


class RequestBatcher(Generic[Req, Res]):
    """Sends requests in batches of at most `max_size`.

    Args:
        send: Sends one batch. An exception becomes the error of all its requests.
        max_size: Requests in one batch.
        max_in_flight: Batches at the same time.
        max_wait: Seconds that a request waits for another batch's return.
        key: Requests with a key in common are never in two batches in flight: the later ones wait
            for the earlier batch and go together. None lets all go.
        unclaimed: Called with a response whose caller was cancelled after the request was sent, and
            with an error that ended its batch.
    """

    def __init__(
        self,
        send: Send[Req, Res],
        *,
        max_size: int,
        max_in_flight: int = 4,
        max_wait: float = 0.005,
        key: Callable[[Req], Hashable] | None = None,
        unclaimed: Callable[[Req, Res | Exception], None] = lambda _request, _response: None,
    ) -> None:
        self._send = send
        self._max_size = max_size
        self._max_in_flight = max_in_flight
        self._max_wait = max_wait
        self._key = key
        self._busy: set[Hashable] = set()
        self._unclaimed = unclaimed
        self._pending: deque[tuple[Req, asyncio.Future[Res]]] = deque()
        self._in_flight: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def submit(self, request: Req) -> Res:
        """Return the response to a request; one that is cancelled while pending is never sent."""
        future: asyncio.Future[Res] = asyncio.get_running_loop().create_future()
        self._pending.append((request, future))
        if not self._in_flight:
            self._flush()
        elif self._timer is None:
            self._start_timer()
        return await future

    def fail_pending(self, error: Exception) -> None:
        """Fail the requests that have not been sent yet."""
        while self._pending:
            _, future = self._pending.popleft()
            if not future.done():
                future.set_exception(error)

    def _start_timer(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._max_wait, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if len(self._pending) > self._max_size:
            self._start_timer()
        self._flush()

    def _flush(self) -> None:
        if len(self._in_flight) < self._max_in_flight and self._can_send():
            task = asyncio.ensure_future(self._send_batch())
            self._in_flight.add(task)
            task.add_done_callback(self._on_return)

    def _can_send(self) -> bool:
        if not self._busy:
            return bool(self._pending)
        return not all(self._is_busy(request) for request, _ in self._pending)

    def _is_busy(self, request: Req) -> bool:
        return self._key is not None and self._key(request) in self._busy

    def _on_return(self, task: "asyncio.Task[None]") -> None:
        self._in_flight.discard(task)
        self._flush()

    async def _send_batch(self) -> None:
        # The task begins in the loop's next round: requests of this round are in the batch as well.
        batch = self._take_batch()
        keys: set[Hashable] = set()
        if self._key is not None:
            keys = {self._key(request) for request, _ in batch}
        self._busy |= keys
        try:
            if batch:
                responses = await self._send([request for request, _ in batch])
                for (request, future), response in zip(batch, responses, strict=True):
                    self._deliver(request, future, response)
        except Exception as error:  # noqa: BLE001 - it belongs to the callers
            for request, future in batch:
                if future.cancelled():
                    self._unclaimed(request, error)
                elif not future.done():
                    future.set_exception(error)
        finally:
            self._busy -= keys

    def _take_batch(self) -> list[tuple[Req, "asyncio.Future[Res]"]]:
        batch: list[tuple[Req, asyncio.Future[Res]]] = []
        waiting: list[tuple[Req, asyncio.Future[Res]]] = []
        while self._pending and len(batch) < self._max_size:
            request, future = self._pending.popleft()
            if future.done():
                continue
            (waiting if self._is_busy(request) else batch).append((request, future))
        self._pending.extendleft(reversed(waiting))
        return batch

    def _deliver(
        self, request: Req, future: "asyncio.Future[Res]", response: Res | Exception
    ) -> None:
        if isinstance(response, Exception):
            if not future.done():
                future.set_exception(response)
        elif future.done():
            self._unclaimed(request, response)
        else:
            future.set_result(response)
