"""Where a request begins and ends: uvicorn's reading of it, with what that leaves open closed.

A proxy and a server that disagree about it can be made to take part of one caller's request for
another's (RFC 9112 section 11.2). What is malformed is refused by the parser already; this adds:

- Trailer fields are dropped. uvicorn adds them to the header fields, where a caller behind a proxy
  could so set fields that the proxy has cleared (RFC 9110 section 6.5.1).
- A request to upgrade is the last on its connection. The parser takes its body for what follows the
  upgrade, and uvicorn takes that for the next request.
- The header section is bounded.
"""

from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES: Final = 64 * 1024
"""Names and values of the header fields and the target. Common proxies send 8 to 32 KiB at most."""

_MAX_UNENDED_BYTES: Final = 8 * MAX_HEAD_BYTES
"""Some more, as the first of it may have come together with the request before."""


class HeadTooLarge(Exception):  # noqa: N818 - a condition of the request
    """The header section has more than `MAX_HEAD_BYTES` bytes; the parser turns it into a 400."""


class StrictProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._in_head = False
        self._head_bytes = self._unended_bytes = 0
        self._is_last = False

    def data_received(self, data: bytes) -> None:
        if self._is_last:
            return
        super().data_received(data)
        if not self._in_head:
            return
        # A field that does not end is told to nobody, so what came since the beginning is counted.
        self._unended_bytes += len(data)
        if self._unended_bytes > _MAX_UNENDED_BYTES and not self.transport.is_closing():
            self._is_last = True
            self.send_400_response("The header section is too large.")

    def on_message_begin(self) -> None:
        self._in_head = True
        self._head_bytes = self._unended_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._head_bytes += len(url)
        if self._head_bytes > MAX_HEAD_BYTES:
            raise HeadTooLarge
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return
        self._head_bytes += len(name) + len(value)
        if self._head_bytes > MAX_HEAD_BYTES:
            raise HeadTooLarge
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """The request is answered as if it had asked for nothing (RFC 9110 section 7.8)."""
        self._is_last = True
        self.cycle.keep_alive = False
