"""The framing of requests: uvicorn's parser with additional checks.

A proxy and a server that disagree about it can be made to take part of one caller's request for
another's (RFC 9112 section 11.2). What is malformed is refused by the parser already; this adds:

- Trailer fields are dropped. uvicorn adds them to the header fields, where a caller behind a proxy
  could so set fields that the proxy has cleared (RFC 9110 section 6.5.1).
- A request names its host once, in the form of a host (RFC 9112 section 3.2). Of two names a proxy
  could believe the one and whatever is behind it the other.
- A request to upgrade is the last on its connection. The parser takes its body for what follows the
  upgrade, and uvicorn takes that for the next request.
"""

import re
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_HOST: Final = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::[0-9]{0,5})?")


class UnclearHost(Exception):  # noqa: N818 - a condition of the request
    """The request names no host, more than one, or what is none; it ends the parsing."""


class StrictHttp(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._in_head = False
        self._is_last = False

    def data_received(self, data: bytes) -> None:
        if not self._is_last:
            super().data_received(data)

    def on_message_begin(self) -> None:
        self._in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        if not self._names_one_host():
            raise UnclearHost
        super().on_headers_complete()

    def _names_one_host(self) -> bool:
        hosts = [value for name, value in self.headers if name == b"host"]
        if not hosts:
            parser: Any = self.parser
            return parser.get_http_version() == "1.0"  # which came before the field
        return len(hosts) == 1 and _HOST.fullmatch(hosts[0]) is not None

    def _unsupported_upgrade_warning(self) -> None:
        """The request is answered as if it had asked for nothing (RFC 9110 section 7.8)."""
        self._is_last = True
        self.cycle.keep_alive = False
