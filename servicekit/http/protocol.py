"""HTTP/1.1 of uvicorn, with what it leaves open closed: framing, bounds, and the end of the process.

A proxy and a server that disagree about where a request ends can be made to take part of one caller's
request for another's (RFC 9112 section 11.2). What is malformed is refused by the parser already;
`StrictHttp` adds:

- Trailer fields are dropped. uvicorn adds them to the header fields, where a caller behind a proxy
  could so set fields that the proxy has cleared (RFC 9110 section 6.5.1).
- A request names its host once, in the form of a host (RFC 9112 section 3.2). Of two names a proxy
  could believe the one and whatever is behind it the other. So does a request its credential, in
  `Authorization`, which is no list either (RFC 9110 section 11.6.2).
- A request to upgrade is the last on its connection. The parser takes its body for what follows the
  upgrade, and uvicorn takes that for the next request.

uvicorn waits for ever for a request that comes byte by byte, and keeps a head of any length:
`BoundedHttp` does not. Nor does it wait for ever for a client that does not read its response.
"""

import asyncio
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from servicekit.http.exchange import Exchange
from servicekit.http.refusals import refusal
from servicekit.http.write_timeout import TimedFlow
from servicekit.process.shutdown import GracefulShutdown

HEAD_BYTES: Final = 65_536
"""Request line and header fields; an answer to more is 431 (RFC 6585 section 5)."""

_GRACE_SECONDS: Final = 0.1
_FIRST_REQUEST_SECONDS: Final = 0.5
"""How long a connection without a request stays open once the server closes."""
_HOST: Final = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::[0-9]{0,5})?")


class UnclearHead(Exception):  # noqa: N818 - a condition of the request
    """The request names no host, more than one, or what is none, or several credentials; it ends the parsing."""


class StrictHttp(HttpToolsProtocol):
    """A connection whose requests begin and end in one way only."""

    def __init__(self, graceful_shutdown: GracefulShutdown, **options: Any) -> None:
        super().__init__(**options)
        self._application = options["config"].loaded_app
        self._shutdown = graceful_shutdown
        self._in_head = False
        self._is_last = False
        self._responding: Exchange | None = None

    def data_received(self, data: bytes) -> None:
        """Parse what has come, as uvicorn does, which logs each malformed request without saying whose it is."""
        if self._is_last:
            return
        self._unset_keepalive_if_required()
        parser: Any = self.parser
        try:
            parser.feed_data(data)
        except httptools.HttpParserError:
            self.send_400_response("")
        except httptools.HttpParserUpgrade:
            self._unsupported_upgrade_warning()

    def on_message_begin(self) -> None:
        self._in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field of the head, as uvicorn does; called for each one, so without a call to it."""
        if not self._in_head:
            return
        name = name.lower()
        self.headers.append((name, value))
        if name == b"expect" and value.lower() == b"100-continue":
            # A request of HTTP/1.0 expects nothing (RFC 9110 section 10.1.1).
            parser: Any = self.parser
            self.expect_100_continue = parser.get_http_version() != "1.0"

    def on_headers_complete(self) -> None:
        """Begin the exchange, as uvicorn does."""
        parser: Any = self.parser
        version = parser.get_http_version()
        if not self._is_clear(version):
            raise UnclearHead
        scope: Any = self.scope
        scope["method"] = parser.get_method().decode("ascii")
        scope["http_version"] = version
        url = httptools.parse_url(self.url)
        path = url.path.decode("ascii")
        scope["path"] = unquote(path) if "%" in path else path
        scope["raw_path"] = url.path
        scope["query_string"] = url.query or b""
        earlier: Any = self.cycle  # None before the first request
        self.cycle = exchange = self._exchange(
            keep_alive=version != "1.0" and parser.should_keep_alive()
        )
        self._in_head = False
        if earlier is None or earlier.response_complete:
            self._start_asgi_task(exchange, self._application)
        else:  # it came before the response to the one before it
            self.flow.pause_reading()
            self.pipeline.appendleft((exchange, self._application))

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        """Run the application, as uvicorn does, and notice when it has ended."""
        self._responding = cycle
        task = self.loop.create_task(cycle.run_asgi(app))
        self.tasks.add(task)
        task.add_done_callback(self._application_ended)

    def _application_ended(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let the request under way know; uvicorn informs the newest alone, which may wait behind it."""
        self.pipeline.clear()
        under_way = self._responding
        if under_way is not None and not under_way.response_complete:
            under_way.disconnected = True
            under_way.message_event.set()
        super().connection_lost(exc)

    def _exchange(self, *, keep_alive: bool) -> Exchange:
        return Exchange(
            self._shutdown,
            self.pipeline,
            self.scope,
            self.transport,
            self.flow,
            self.logger,
            self.access_logger,
            self.access_log,
            self.server_state.default_headers,
            asyncio.Event(),
            self.expect_100_continue,
            keep_alive,
            self.on_response_complete,
        )

    def _is_clear(self, version: str) -> bool:
        """Return whether the request names one host, and one credential at most."""
        hosts = [value for name, value in self.headers if name == b"host"]
        credentials = [name for name, _ in self.headers if name == b"authorization"]
        if len(credentials) > 1:
            return False
        if not hosts:
            return version == "1.0"  # which came before the field
        return len(hosts) == 1 and _HOST.fullmatch(hosts[0]) is not None

    def _unsupported_upgrade_warning(self) -> None:
        """The request is answered as if it had asked for nothing (RFC 9110 section 7.8)."""
        self._is_last = True
        self.cycle.keep_alive = False


class HeadTooLarge(Exception):  # noqa: N818 - a condition of the request
    """The head has more than `HEAD_BYTES` bytes; it ends the parsing."""


class BoundedHttp(StrictHttp):
    """A connection with bounds on how long a request may take to arrive, how long its head is, and how long nothing is read.

    Args:
        request_timeout_seconds: Longest from the begin of the connection, or of a later request on it, to
            the request's last byte; an answer to more is 408 (RFC 9110 section 15.5.9).
        write_timeout_seconds: Longest that a client may read nothing of a response that waits for it; the
            connection is then aborted.
        graceful_shutdown: That of the process: once it has begun, connections end with their response.
        on_unread: Called for a connection that is aborted so.
        on_refused: Called for a request that is refused, with the status and the peer's address.
        options: What uvicorn gives its protocols.
    """

    def __init__(
        self,
        request_timeout_seconds: float,
        write_timeout_seconds: float,
        graceful_shutdown: GracefulShutdown,
        on_unread: Callable[[], object],
        on_refused: Callable[[HTTPStatus, str], object],
        **options: Any,
    ) -> None:
        super().__init__(graceful_shutdown, **options)
        self._write_timeout_seconds = write_timeout_seconds
        self._on_unread = on_unread
        self._on_refused = on_refused
        self._arrival_seconds = request_timeout_seconds
        self._arriving: asyncio.TimerHandle | None = None
        self._idle_since: float | None = None
        self._has_begun = False
        self._is_whole = True
        self._ends_after_first = False
        self._piece_bytes = 0
        self._head_arrived = 0
        self._refusal: bytes | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.flow = self._timed_flow = TimedFlow(
            transport, self._write_timeout_seconds, self._on_unread
        )
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_arrived()
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
        self._timed_flow.stop()
        super().connection_lost(exc)

    def eof_received(self) -> None:
        """Let the transport close, as uvicorn does, once the client has read what is sent.

        A client that ends its sending side alone loses a response under way. Its connection is not left open
        for that: a client that has gone ends its sending side, too (RFC 9293 section 3.6), and nothing else
        says so to a stream that has nothing to send, or to a statement that would be ended with its caller.
        """
        self._timed_flow.require_progress()

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
        self._has_begun, self._is_whole, self._idle_since = True, False, None
        self._head_arrived = 0

    def on_headers_complete(self) -> None:
        if self._head_is_too_large():
            raise HeadTooLarge
        super().on_headers_complete()
        if self._ends_after_first:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        self._is_whole = True
        self._has_arrived()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser did not take."""
        del msg  # the same for all that is malformed
        if self._in_head and self._head_is_too_large():
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        else:
            self._refuse(HTTPStatus.BAD_REQUEST)

    def shutdown(self) -> None:
        """Close the connection once it has responded to what its peer has begun.

        A request is on its way over a connection that has had none: peers connect when they have one. It is
        waited for briefly, because a peer cannot tell whether a call that it has sent was made.
        """
        if self._has_begun:
            super().shutdown()
        else:
            self._ends_after_first = True
            self.loop.call_later(_FIRST_REQUEST_SECONDS, self._close_unused)

    def _close_unused(self) -> None:
        if not self._has_begun:
            self.transport.close()

    def on_response_complete(self) -> None:
        """Go on with the next request, or wait for one.

        One timer stands for all waits of a connection, as uvicorn's would be made and cancelled for each.
        """
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            self._timed_flow.require_progress()
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
            return
        if self._refusal is not None:
            self._end(self._refusal)
            return
        self._idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._wait_idle(self.timeout_keep_alive)

    def _application_ended(self, task: asyncio.Task[None]) -> None:
        super()._application_ended(task)
        # uvicorn closes the transport under a response that its application has not completed.
        if self.transport.is_closing() and self in self.connections:
            self._timed_flow.require_progress()

    def _unset_keepalive_if_required(self) -> None:
        """Go on waiting: what has come may be a blank line, which begins no request."""

    def _wait_idle(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection if it has been idle for long, after what has come meanwhile was read.

        When the process stood still, the timer is due before that is looked at.
        """
        since, self.timeout_keep_alive_task = self._idle_since, None
        if since is None:
            return  # the response under way begins the next wait
        rest = since + self.timeout_keep_alive - self.loop.time()
        if rest > 0:
            self._wait_idle(rest)
        else:
            self.timeout_keep_alive_task = self.loop.call_later(
                _GRACE_SECONDS, self._close_idle, since
            )

    def _close_idle(self, since: float) -> None:
        if self._idle_since == since:
            self._end(b"")
        else:
            self.timeout_keep_alive_handler()

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
        """Refuse the request that is arriving, behind the responses to those before it (RFC 9112 section 9.3.2).

        The connection ends with the refusal; without one where the response to that request has begun.
        """
        self._has_arrived()
        if self._refusal is not None or self.transport.is_closing():
            return
        self._is_last = True
        self._on_refused(status, self.client[0] if self.client else "unknown")
        refused: Any = None if self._in_head or self._is_whole else self.cycle
        if refused is not None:
            self._withdraw(refused)
        self._refusal = b"" if refused and refused.response_started else self._refusal_of(status)
        under_way = self._responding
        if under_way is None or under_way is refused or under_way.response_complete:
            self._end(self._refusal)

    def _refusal_of(self, status: HTTPStatus) -> bytes:
        parser: Any = self.parser
        # The parser has read the method once it reports what comes behind it, the target.
        is_to_head = not self._is_whole and self.url != b"" and parser.get_method() == b"HEAD"
        return refusal(status, self.server_state.default_headers, is_to_head=is_to_head)

    def _withdraw(self, exchange: Any) -> None:
        """End the newest exchange: its application, if it has begun, learns that the request does not go on."""
        exchange.disconnected = True
        exchange.message_event.set()
        if self.pipeline and self.pipeline[0][0] is exchange:
            self.pipeline.popleft()

    def _end(self, refusal: bytes) -> None:
        self.transport.write(refusal)
        self.transport.close()
        self._timed_flow.require_progress()
