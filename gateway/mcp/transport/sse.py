"""Replies as server-sent events: messages while a call runs, then its response.

A reply becomes a stream with the first message before the response; until then it can still be
plain JSON with a status of its own.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import msgspec

from gateway.mcp.transport.http import Connection, Disconnected, Headers, Reply
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
    """The events of one reply. The task that makes the response may call `notify`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pending: asyncio.Queue[bytes] = asyncio.Queue()
        self._work: asyncio.Future[Any] | None = None
        self._ends_early = False
        self.has_begun = False

    def notify(self, message: bytes) -> None:
        """Send a JSON-RPC message before the response, without waiting for it to be sent."""
        self._pending.put_nowait(message)

    async def run(self, respond: Callable[[], Awaitable[T]], *, ends_on_disconnect: bool) -> T:
        """Run `respond` and send the messages that it notifies of meanwhile.

        In the stateless versions of the protocol a caller who disconnects cancels the request; in
        the versions with sessions a lost connection cancels nothing, so the work goes on.

        Raises:
            Disconnected: The caller disconnected, and that ended the work.
            Unavailable: `end_early` ended the work.
        """
        work = self._work = asyncio.ensure_future(respond())
        disconnect = asyncio.ensure_future(self._disconnected())
        try:
            await self._forward(work, disconnect)
            if ends_on_disconnect and disconnect.done() and not work.done():
                raise Disconnected
            if self._ends_early:
                raise Unavailable(
                    "This account has more streams open than others, who need the place. Try again "
                    "later, and with fewer.",
                    retry_after=_AGAIN_SECONDS,
                )
            return await work
        finally:
            for task in (work, disconnect):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task

    def end_early(self) -> None:
        """End the work, because another caller needs its slot."""
        self._ends_early = True
        if self._work is not None:
            self._work.cancel()

    async def end(self, reply: Reply) -> Reply:
        """Send the reply's body as the last message and close; return the reply as sent."""
        await self._event(reply.body, more=False)
        return msgspec.structs.replace(reply, is_sent=True)

    async def _forward(self, work: "asyncio.Future[T]", disconnect: "asyncio.Future[None]") -> None:
        while not work.done():
            next_message = asyncio.ensure_future(self._pending.get())
            awaited = {work, disconnect, next_message}
            done, _ = await asyncio.wait(
                awaited, timeout=KEEP_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if next_message in done:
                await self._event(next_message.result())
            else:
                next_message.cancel()
            if disconnect in done:
                return
            if not done and self.has_begun:
                await self._send_part(b": keep-alive\n\n")
        while self.has_begun and not self._pending.empty():
            await self._event(self._pending.get_nowait())

    async def _disconnected(self) -> None:
        while (await self._connection.receive())["type"] != "http.disconnect":
            pass

    async def _event(self, message: bytes, *, more: bool = True) -> None:
        if not self.has_begun:
            self.has_begun = True
            headers = [*HEADERS, *self._connection.headers]
            start = {"type": "http.response.start", "status": 200, "headers": headers}
            await self._connection.send(start)
        await self._send_part(b"event: message\ndata: " + message + b"\n\n", more=more)

    async def _send_part(self, part: bytes, *, more: bool = True) -> None:
        body = {"type": "http.response.body", "body": part, "more_body": more}
        await self._connection.send(body)
