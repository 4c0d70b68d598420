"""One request and its response: uvicorn's, and an extension of ASGI for responses that are sent whole.

uvicorn takes head and body apart, and looks through each name and value by an expression of its own: a third of
what it does for a request. Applications may send a response by one message in the place of two:

    {"type": "http.response.whole", "status": 200, "shared": (…), "headers": (…), "body": b"…"}

`shared` are header fields that many responses have alike: they are written once and then used again. The length
of the body is added, except to a status that has no body.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HEADER_RE, STATUS_LINE, RequestResponseCycle

from servicekit.process.shutdown import GracefulShutdown

WHOLE: Final = "http.response.whole"
"""The type of the message, and the name of the extension in the scope."""

Fields = tuple[tuple[bytes, bytes], ...]

_END: Final = b"\r\n"
_CLOSE: Final = (b"connection", b"close")
_FRAMING: Final = frozenset({b"content-length", b"transfer-encoding"})
"""Fields that say where a body ends, which are the server's to write (RFC 9112 section 6)."""

_WITHOUT_BODY: Final = frozenset({*range(100, 200), 204, 304})
"""Statuses whose responses end with their head (RFC 9112 section 6.3) and have no length (RFC 9110 section 8.6)."""

_TEXT: Final = b"\t" + bytes(code for code in range(0x20, 0x100) if code != 0x7F)
"""What fields are made of (RFC 9110 section 5.5): all but control characters."""

_EXTENSIONS: Final[dict[str, dict[str, object]]] = {WHOLE: {}}


class Exchange(RequestResponseCycle):
    """A request whose response has its client close the connection once the process stops.

    So does a response before the body that a client has announced by `Expect: 100-continue`: the client may send
    the body or not, so that nothing says where its next request begins (RFC 9110 section 10.1.1).

    Args:
        graceful_shutdown: That of the process.
        waiting: The requests of the connection that came before this one's response: the last of them has the connection closed.
        options: What uvicorn's own takes, in its order.
    """

    _has_body = True

    def __init__(
        self, graceful_shutdown: GracefulShutdown, waiting: Collection[Any], *options: Any
    ) -> None:
        super().__init__(*options)
        self._shutdown = graceful_shutdown
        self._waiting = waiting
        scope: Any = self.scope
        scope["extensions"] = _EXTENSIONS

    async def send(self, message: Any) -> None:
        """Send a part of the response, or all of it."""
        if not self.response_started and (
            (self._shutdown.begun and not self._waiting)
            or (self.waiting_for_100_continue and self.more_body)
        ):
            self.keep_alive = False
        if message["type"] != WHOLE:
            await super().send(self._framed(message))
            return
        if self.response_started:
            raise RuntimeError("A response was begun already.")
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if not self.disconnected:
            self._send_whole(
                message["status"], message["shared"], message["headers"], message["body"]
            )

    def _framed(self, message: Any) -> Any:
        """Return the message, without body and length where the response's status has none."""
        if message.get("status") in _WITHOUT_BODY:
            self._has_body = False
            headers = message.get("headers", ())
            fields = [field for field in headers if field[0].lower() not in _FRAMING]
            return {**message, "headers": fields}
        return message if self._has_body else {**message, "body": b""}

    def _send_whole(self, status: int, shared: Fields, fields: Fields, body: bytes) -> None:
        own = written((*self.default_headers, *fields))
        says_close = _says_close(shared) or any(map(_is_close, fields))
        ends = b"" if self.keep_alive or says_close else written((_CLOSE,))
        begin = _begin(status, shared)
        if status in _WITHOUT_BODY:
            head, body = b"%b%b%b\r\n" % (begin, own, ends), b""
        else:
            head = b"%b%bcontent-length: %d\r\n%b\r\n" % (begin, own, len(body), ends)
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        self.transport.write(head if self.scope["method"] == "HEAD" else head + body)
        self.message_event.set()
        if not self.keep_alive or says_close:
            self.transport.close()
        self.on_response()


def written(fields: Fields) -> bytes:
    """Return header fields as they are sent.

    Raises:
        RuntimeError: A value has a control character, or a name is none or says how long the body is.
    """
    lines = b"".join([_named(name) + value + _END for name, value in fields])
    if lines.translate(None, _TEXT) != _END * len(fields):
        raise RuntimeError("Invalid HTTP header value.")
    return lines


@lru_cache(maxsize=64)
def _begin(status: int, shared: Fields) -> bytes:
    return STATUS_LINE[status] + written(shared)


@lru_cache(maxsize=256)
def _named(name: bytes) -> bytes:
    if HEADER_RE.search(name) or name.lower() in _FRAMING:
        raise RuntimeError("Invalid HTTP header name.")
    return name + b": "


@lru_cache(maxsize=64)
def _says_close(shared: Fields) -> bool:
    return any(map(_is_close, shared))


def _is_close(field: tuple[bytes, bytes]) -> bool:
    """Return whether a field has the connection closed behind the response (RFC 9112 section 9.6)."""
    name, value = field
    return name.lower() == b"connection" and b"close" in value.lower()
