"""Replies as server-sent events: notifications while a call runs, then its answer.

A reply becomes a stream only when there is something to tell before the answer; until then it can
still be plain JSON with a status of its own.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from gateway.mcp.transport.http import Disconnected, Headers, Receive, Send
from servicekit.errors import Unavailable

T = TypeVar("T")

_AGAIN_SECONDS: Final = 10.0

KEEP_ALIVE_SECONDS: Final = 15.0
"""Silence after which a comment is sent, so that nothing between closes the connection."""

HEADERS: Final[Headers] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),
)


class Stream:
    """The events of one reply. `notify` may be called from the task that answers."""

    def __init__(self, receive: Receive, send: Send, extra: Headers) -> None:
        self._receive = receive
        self._send = send
        self._extra = extra
        self._told: asyncio.Queue[bytes] | None = None
        self._working: asyncio.Future[Any] | None = None
        self._ends_early = False
        self.has_begun = False

    @property
    def _waiting(self) -> "asyncio.Queue[bytes]":
        # Few replies have anything to tell before them, and a queue costs more than the rest of this.
        if self._told is None:
            self._told = asyncio.Queue()
        return self._told

    def notify(self, message: bytes) -> None:
        """Puts a JSON-RPC message on its way."""
        self._waiting.put_nowait(message)

    async def answered(self, work: Callable[[], Awaitable[T]], *, leaving_ends: bool) -> T:
        """Runs `work`, sending what it notifies meanwhile.

        In the modern era a caller who goes away has cancelled the request, so the work ends; in the
        legacy ones a lost connection is no cancellation, so it goes on.

        Raises:
            Disconnected: The caller went away, and that ended the work.
            Unavailable: `end_early` ended it.
        """
        working = self._working = asyncio.ensure_future(work())
        leaving = asyncio.ensure_future(self._left())
        try:
            await self._forward(working, leaving)
            if leaving_ends and leaving.done() and not working.done():
                raise Disconnected
            if self._ends_early:
                raise Unavailable(
                    "This account has more streams open than others, who need the place. Try again "
                    "later, and with fewer.",
                    retry_after=_AGAIN_SECONDS,
                )
            return await working
        finally:
            for task in (working, leaving):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task

    def end_early(self) -> None:
        """Ends the work, as what it holds is needed for another caller."""
        self._ends_early = True
        if self._working is not None:
            self._working.cancel()

    async def end(self, message: bytes) -> None:
        """Sends the last message and closes."""
        await self._event(message, more=False)

    async def _forward(self, working: "asyncio.Future[T]", leaving: "asyncio.Future[None]") -> None:
        while not working.done():
            hearing = asyncio.ensure_future(self._waiting.get())
            waited_for = {working, leaving, hearing}
            done, _ = await asyncio.wait(
                waited_for, timeout=KEEP_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if hearing in done:
                await self._event(hearing.result())
            else:
                hearing.cancel()
            if leaving in done:
                return
            if not done and self.has_begun:
                await self._send_part(b": still at it\n\n")
        while self.has_begun and not self._waiting.empty():
            await self._event(self._waiting.get_nowait())

    async def _left(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _event(self, message: bytes, *, more: bool = True) -> None:
        if not self.has_begun:
            self.has_begun = True
            headers = [*HEADERS, *self._extra]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send_part(b"event: message\ndata: " + message + b"\n\n", more=more)

    async def _send_part(self, part: bytes, *, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": part, "more_body": more})
