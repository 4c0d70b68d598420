"""HTTP/1.1 of uvicorn, with bounds on how long a request may take to arrive and how long its head is.

uvicorn itself waits for ever for a request that comes byte by byte, and accepts a head of any length.
"""

import asyncio
from http import HTTPStatus
from typing import Any, Final

from servicekit.http.framing import StrictHttp

HEAD_BYTES: Final = 65_536
"""Request line and header fields; an answer to more is 431 (RFC 6585 section 5)."""

_GRACE_SECONDS: Final = 0.1


class HeadTooLarge(Exception):  # noqa: N818 - a condition of the request
    """The head has more than `HEAD_BYTES` bytes; it ends the parsing."""


class BoundedHttp(StrictHttp):
    """One connection.

    Args:
        request_timeout_seconds: Longest from the begin of the connection, or of a later request on it, to
            the request's last byte; an answer to more is 408 (RFC 9110 section 15.5.9).
        given: What uvicorn gives its protocols.
    """

    def __init__(self, request_timeout_seconds: float, **options: Any) -> None:
        super().__init__(**options)
        self._arrival_seconds = request_timeout_seconds
        self._arriving: asyncio.TimerHandle | None = None
        self._has_begun = False
        self._is_whole = True
        self._piece_bytes = 0
        self._head_arrived = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_arrived()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._piece_bytes = len(data)
        super().data_received(data)
        if self._in_head:
            # A field that does not end is told to nobody: it is counted as it comes.
            self._head_arrived += len(data)
            if self._head_arrived > HEAD_BYTES:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        # Most requests come in one piece, and need no timer.
        if self._arriving is None and not self._is_whole and not self.transport.is_closing():
            self._expect()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._has_begun, self._is_whole = True, False
        self._head_arrived = 0

    def on_headers_complete(self) -> None:
        if self._head_is_too_large():
            raise HeadTooLarge
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_whole = True
        self._has_arrived()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuses what the parser did not take."""
        if self._in_head and self._head_is_too_large():
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        else:
            super().send_400_response(msg)

    def timeout_keep_alive_handler(self) -> None:
        """Closes an idle connection, after what has come meanwhile was read.

        When the process stood still, the timer is due before that is looked at.
        """
        self.timeout_keep_alive_task = self.loop.call_later(
            _GRACE_SECONDS, super().timeout_keep_alive_handler
        )

    def _head_is_too_large(self) -> bool:
        # What came at once with it is counted only where it could be too much.
        if self._head_arrived + self._piece_bytes <= HEAD_BYTES:
            return False
        fields = sum(len(name) + len(value) for name, value in self.headers)
        return len(self.url) + fields > HEAD_BYTES

    def _expect(self) -> None:
        self._arriving = self.loop.call_later(self._arrival_seconds, self._late)

    def _has_arrived(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _late(self) -> None:
        if self.flow.read_paused:  # it is we who do not read
            self._expect()
            return
        self._arriving = None
        if self._has_begun:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:  # nothing was asked
            self.transport.close()

    def _refuse(self, status: HTTPStatus) -> None:
        """Ends the connection; with the status if no answer has begun."""
        self._has_arrived()
        if self.transport.is_closing():
            return
        cycle: Any = self.cycle  # None before the first request
        if cycle is None or cycle.response_complete or not cycle.response_started:
            head = f"HTTP/1.1 {status.value} {status.phrase}\r\n"
            self.transport.write(f"{head}connection: close\r\ncontent-length: 0\r\n\r\n".encode())
        self.transport.close()
