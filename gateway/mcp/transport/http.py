"""HTTP as the endpoint sees it: a request read whole, a reply sent whole, straight on ASGI."""

import math
import re
from collections.abc import Awaitable, Callable, MutableMapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final

import msgspec

from gateway.quota.models import QuotaState
from servicekit.http.exchange import WHOLE

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]

GZIP: Final[Headers] = ((b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding"))
LIST_FIELDS: Final = frozenset({b"sponsorgraph-toolsets"})
"""Fields whose repeated lines are one list (RFC 9110 section 5.3)."""

_DIGITS: Final = 20
_LONGEST_CODINGS: Final = 200
_ALWAYS: Final[Headers] = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)
"""Replies are their caller's alone and have the content type that they name."""

_JSON_TYPE: Final = b"application/json"
_JSON: Final[Headers] = ((b"content-type", _JSON_TYPE), *_ALWAYS)

_REFUSED: Final = re.compile(r"q\s*=\s*0(\.0*)?")


class BodyTooLarge(Exception):  # noqa: N818 - a condition of the request
    """The body has more bytes than are read."""


class Disconnected(Exception):  # noqa: N818 - a condition of the request
    """The caller went away before the request was whole."""


class Request(msgspec.Struct, frozen=True):
    """A request without its body.

    Attributes:
        method: Upper-case HTTP method.
        query: The query string.
        fields: Header fields by lower-case name; of repeated ones the last, lists excepted.
        repeated: Names of fields that came more than once.
    """

    method: str
    query: bytes
    fields: dict[bytes, bytes]
    repeated: frozenset[bytes]

    def header(self, name: bytes) -> str | None:
        """Return the field's value without white space around it, or None; `name` in lower case."""
        value = self.fields.get(name)
        return None if value is None else value.decode("latin-1").strip(" \t")


class Reply(msgspec.Struct, frozen=True):
    """A whole reply. A body is JSON.

    Attributes:
        is_sent: The reply was sent already, as the last event of a stream.
    """

    status: int
    body: bytes = b""
    headers: Headers = ()
    is_sent: bool = False


class Connection(msgspec.Struct, frozen=True):
    """The way back to the caller of one request.

    Attributes:
        receive: Returns the next message of ASGI.
        send: Sends one.
        headers: Header fields of every reply to this request.
        sends_whole: The server takes a reply as one message; see `servicekit.http.exchange`.
    """

    receive: Receive
    send: Send
    headers: Headers
    sends_whole: bool = False


def request_of(scope: Scope) -> Request:
    pairs: list[tuple[bytes, bytes]] = scope["headers"]
    fields = dict(pairs)
    repeated: frozenset[bytes] = frozenset()
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = frozenset(name for name in names if names.count(name) > 1)
        for name in repeated & LIST_FIELDS:
            fields[name] = b",".join(value for field, value in pairs if field == name)
    return Request(scope["method"], scope["query_string"], fields, repeated)


def is_json(request: Request) -> bool:
    """Return whether the body is JSON, which it is taken for where nothing is said."""
    content_type = request.fields.get(b"content-type", _JSON_TYPE)
    if content_type == _JSON_TYPE:
        return True
    return (content_type.strip() or _JSON_TYPE).partition(b";")[0].strip().lower() == _JSON_TYPE


def accepts_stream(request: Request) -> bool:
    """Return whether the caller accepts server-sent events as a reply."""
    return "text/event-stream" in (request.header(b"accept") or "")


def accepts_gzip(request: Request) -> bool:
    """Return whether the caller accepts a body that is compressed by gzip (RFC 9110, 12.5.3)."""
    return _names_gzip(request.fields.get(b"accept-encoding", b"")[:_LONGEST_CODINGS])


@lru_cache(maxsize=64)
def _names_gzip(codings: bytes) -> bool:
    for coding in codings.decode("latin-1").lower().split(","):
        name, *parameters = (part.strip() for part in coding.split(";"))
        if name in ("gzip", "x-gzip"):
            return not any(_REFUSED.fullmatch(parameter) for parameter in parameters)
    return False


def quota_headers(state: QuotaState) -> Headers:
    """Return the quota in the fields of the IETF draft, by the counter's clock: all gateways then say the same.

    https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
    """
    resets, policy = _of_month(state.limit, state.resets_at)
    left = max(0, math.ceil(resets - state.at.timestamp()))
    return (b"ratelimit", f'"monthly";r={state.remaining};t={left}'.encode()), policy


@lru_cache(maxsize=64)
def _of_month(limit: int, resets_at: datetime) -> tuple[float, tuple[bytes, bytes]]:
    """Return the same for all calls of a plan: the end of the month in seconds, and the policy's field."""
    month_start = (resets_at - timedelta(days=1)).replace(day=1)
    window = round((resets_at - month_start).total_seconds())
    policy = f'"monthly";q={limit};w={window}'.encode()
    return resets_at.timestamp(), (b"ratelimit-policy", policy)


async def read_body(request: Request, receive: Receive, limit: int) -> bytes:
    """Return the whole body.

    Raises:
        BodyTooLarge: It has more than `limit` bytes; the rest is not read.
        Disconnected: The caller went away.
    """
    announced = request.fields.get(b"content-length", b"0")
    # Python reads no number of thousands of digits; the first few tell enough.
    if announced.isdigit() and int(announced[:_DIGITS]) > limit:
        raise BodyTooLarge
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise BodyTooLarge
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


async def send_reply(connection: Connection, reply: Reply) -> None:
    send, shared = connection.send, _JSON if reply.body else _ALWAYS
    headers = reply.headers + connection.headers
    if connection.sends_whole:
        await send(
            {
                "type": WHOLE,
                "status": reply.status,
                "shared": shared,
                "headers": headers,
                "body": reply.body,
            }
        )
        return
    length = (b"content-length", str(len(reply.body)).encode())
    headers = (length, *shared, *headers)
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})
