"""Request smuggling: requests that two servers could delimit differently (RFC 9112 section 11.2).

Each is sent directly to the HTTP server of all services. It responds at most once: no part of a
body is ever treated as another request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from servicekit.http import server as http_server
from servicekit.http.metrics import REFUSED_REQUESTS
from servicekit.http.protocol import HEAD_BYTES

BODY: Final = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
SMUGGLED: Final = b"POST /smuggled HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
CHUNKED: Final = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
LENGTH: Final = b"Content-Length: %d" % len(BODY)


class Echo:
    """Record the requests and respond with the number of bytes read."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[bytes, bytes], bytes]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        self.requests.append((scope["path"], dict(scope["headers"]), body))
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
async def echo() -> AsyncGenerator[tuple[Echo, int]]:
    app = Echo()
    async with http_server.serve_http(app, "127.0.0.1", 0, 1) as port:
        yield app, port


def head(*fields: bytes, version: bytes = b"HTTP/1.1") -> bytes:
    lines = (b"POST /asked " + version, b"Host: x", *fields)
    return b"".join(line + b"\r\n" for line in lines)


async def response_to(port: int, *parts: bytes) -> bytes:
    """Send the parts and return all that comes back until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0)
        writer.write_eof()
        async with asyncio.timeout(20):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


REFUSED: Final = {
    "both lengths": head(LENGTH, b"Transfer-Encoding: chunked") + b"\r\n" + CHUNKED,
    "both, chunked first": head(b"Transfer-Encoding: chunked", b"Content-Length: 4")
    + b"\r\n"
    + CHUNKED
    + SMUGGLED,
    "two lengths": head(LENGTH, b"Content-Length: 5") + b"\r\n" + BODY,
    "the same length twice": head(LENGTH, LENGTH) + b"\r\n" + BODY,
    "a list of lengths": head(LENGTH + b", 40") + b"\r\n" + BODY,
    "a signed length": head(b"Content-Length: +40") + b"\r\n" + BODY,
    "a negative length": head(b"Content-Length: -1") + b"\r\n" + BODY,
    "a hexadecimal length": head(b"Content-Length: 0x28") + b"\r\n" + BODY,
    "a blank before the colon": head(b"Content-Length : 40") + b"\r\n" + BODY,
    "a folded field": head(b"X-A: b\r\n c", LENGTH) + b"\r\n" + BODY,
    "a folded coding": head(b"Transfer-Encoding:\r\n chunked") + b"\r\n" + CHUNKED,
    "bare line feeds": (head(LENGTH) + b"\r\n").replace(b"\r\n", b"\n") + BODY,
    "one bare line feed": head(b"X: a\n" + LENGTH) + b"\r\n" + BODY,
    "a bare carriage return": head(b"X: a\rContent-Length: 0", LENGTH) + b"\r\n" + BODY,
    "a zero byte": head(b"X: a\0b", LENGTH) + b"\r\n" + BODY,
    "a line feed in a chunk's extension": head(b"Transfer-Encoding: chunked")
    + b"\r\n28;a\nb\r\n"
    + BODY
    + b"\r\n0\r\n\r\n",
    "a chunk's size before a line feed": head(b"Transfer-Encoding: chunked")
    + b"\r\n28\n"
    + BODY
    + b"\r\n0\r\n\r\n",
    "a chunk larger than any number": head(b"Transfer-Encoding: chunked")
    + b"\r\nfffffffffffffffff\r\n"
    + BODY,
    "an unknown coding": head(b"Transfer-Encoding: xchunked") + b"\r\n" + BODY,
    "two codings": head(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity")
    + b"\r\n"
    + CHUNKED,
    "another version": head(LENGTH, version=b"HTTP/3.1") + b"\r\n" + BODY,
    "a preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_message_with_two_ends_or_none_is_refused_and_ends_the_connection(
    echo: tuple[Echo, int], name: str
) -> None:
    response = await response_to(echo[1], REFUSED[name])
    assert response.startswith(b"HTTP/1.1 400"), response
    assert response.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in response
    assert [path for path, _, _ in echo[0].requests if path == "/smuggled"] == []


HOSTS: Final = {
    "none": [],
    "two": [b"Host: a", b"Host: b"],
    "the same twice": [b"Host: a", b"Host: a"],
    "two, one of them in other letters": [b"Host: a", b"hOST: b"],
    "an empty one": [b"Host:"],
    "a list": [b"Host: a, b"],
    "a user": [b"Host: a@b"],
    "a path": [b"Host: a/b"],
    "a blank": [b"Host: a b"],
    "markup": [b"Host: <b>"],
    "something before brackets": [b"Host: a[::1]"],
    "a port that is none": [b"Host: a:b"],
}


@pytest.mark.parametrize("name", HOSTS)
async def test_a_request_that_does_not_name_one_host_is_refused(
    echo: tuple[Echo, int], name: str
) -> None:
    lines = (b"POST /asked HTTP/1.1", *HOSTS[name], LENGTH)
    sent = b"".join(line + b"\r\n" for line in lines) + b"\r\n" + BODY
    response = await response_to(echo[1], sent + SMUGGLED)
    assert response.startswith(b"HTTP/1.1 400"), response
    assert response.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in response
    assert echo[0].requests == []


async def test_malformed_requests_are_counted_and_leave_one_line_with_their_peer(
    echo: tuple[Echo, int],
) -> None:
    before = refused()
    with capture_logs() as lines:
        for _ in range(3):
            await response_to(echo[1], b"NONSENSE\r\n\r\n")
    assert refused() == before + 3
    assert [(line["event"], line["status"], line["peer"]) for line in lines] == [
        ("requests_refused", 400, "127.0.0.1")
    ]


def refused() -> float:
    (metric,) = REFUSED_REQUESTS.labels("400").collect()
    return metric.samples[0].value


@pytest.mark.parametrize("second", [b"Authorization: Bearer a", b"aUTHORIZATION: Bearer b"])
async def test_a_request_with_two_credentials_is_refused(
    echo: tuple[Echo, int], second: bytes
) -> None:
    sent = head(b"Authorization: Bearer a", second, LENGTH) + b"\r\n" + BODY
    response = await response_to(echo[1], sent + SMUGGLED)
    assert response.startswith(b"HTTP/1.1 400"), response
    assert echo[0].requests == []


@pytest.mark.parametrize(
    "host", [b"a.example", b"127.0.0.1:8000", b"[::1]:8000", b"auth_service:1"]
)
async def test_a_host_is_a_name_or_an_address(echo: tuple[Echo, int], host: bytes) -> None:
    sent = b"GET / HTTP/1.1\r\nConnection: close\r\nHost: " + host + b"\r\n\r\n"
    assert (await response_to(echo[1], sent)).startswith(b"HTTP/1.1 200")


async def test_a_request_of_http_1_0_needs_no_host(echo: tuple[Echo, int]) -> None:
    assert (await response_to(echo[1], b"GET / HTTP/1.0\r\n\r\n")).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("apart", [False, True])
async def test_a_request_that_would_upgrade_is_the_last_of_its_connection(
    echo: tuple[Echo, int], *, apart: bool
) -> None:
    length = b"Content-Length: %d" % len(SMUGGLED)
    upgrade = head(b"Connection: Upgrade", b"Upgrade: h2c", length) + b"\r\n"
    response = await response_to(echo[1], *([upgrade, SMUGGLED] if apart else [upgrade + SMUGGLED]))
    assert response.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in response
    assert [path for path, _, _ in echo[0].requests] == ["/asked"]


async def test_fields_behind_a_body_are_no_header_fields(echo: tuple[Echo, int]) -> None:
    trailers = b"X-Forwarded-For: 192.0.2.1\r\nAuthorization: Bearer other\r\n"
    chunks = CHUNKED.removesuffix(b"\r\n") + trailers + b"\r\n"
    fields = (b"Transfer-Encoding: chunked", b"Authorization: Bearer mine", b"Connection: close")
    response = await response_to(echo[1], head(*fields) + b"\r\n" + chunks)
    assert response.startswith(b"HTTP/1.1 200")
    ((_, seen, body),) = echo[0].requests
    assert body == BODY
    assert seen[b"authorization"] == b"Bearer mine"
    assert b"x-forwarded-for" not in seen


async def test_an_extension_of_a_chunk_is_no_part_of_the_body(echo: tuple[Echo, int]) -> None:
    extended = CHUNKED.replace(b"\r\n", b";a=b\r\n", 1)
    request = head(b"Transfer-Encoding: chunked", b"Connection: close") + b"\r\n" + extended
    assert (await response_to(echo[1], request)).startswith(b"HTTP/1.1 200")
    assert echo[0].requests[0][2] == BODY


async def test_a_body_of_a_get_is_read_as_one(echo: tuple[Echo, int]) -> None:
    request = b"GET /asked HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    request += b"Content-Length: %d\r\n\r\n" % len(SMUGGLED) + SMUGGLED
    assert (await response_to(echo[1], request)).count(b"HTTP/1.1 ") == 1
    assert [path for path, _, _ in echo[0].requests] == ["/asked"]


@pytest.mark.parametrize(
    "fields",
    [
        [b"X: " + b"a" * HEAD_BYTES],
        [b"X-%d: %b" % (at, b"a" * 100) for at in range(HEAD_BYTES // 100)],
    ],
    ids=["one large field", "many fields"],
)
async def test_a_large_header_section_is_refused(
    echo: tuple[Echo, int], fields: list[bytes]
) -> None:
    response = await response_to(echo[1], head(*fields, LENGTH) + b"\r\n" + BODY)
    assert response.startswith(b"HTTP/1.1 431")
    assert echo[0].requests == []


async def test_a_header_field_that_does_not_end_is_not_stored(echo: tuple[Echo, int]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", echo[1])
    writer.write(head() + b"X: ")
    sent = 0
    try:
        async with asyncio.timeout(20):
            while not reader.at_eof() and sent < 100 * HEAD_BYTES:
                writer.write(b"a" * 16_384)
                await writer.drain()
                sent += 16_384
                await asyncio.sleep(0)
            response = await reader.read()
    except (ConnectionResetError, BrokenPipeError):
        response = b""
    writer.close()
    assert response == b"" or response.startswith(b"HTTP/1.1 431")
    assert sent < 100 * HEAD_BYTES
    assert echo[0].requests == []


async def test_an_address_of_some_length_is_the_longest(echo: tuple[Echo, int]) -> None:
    request = b"GET /" + b"a" * HEAD_BYTES + b" HTTP/1.1\r\nHost: x\r\n\r\n"
    assert (await response_to(echo[1], request)).startswith(b"HTTP/1.1 431")


async def test_a_head_in_many_pieces_before_a_large_body_is_accepted(
    echo: tuple[Echo, int],
) -> None:
    body = b"b" * 250_000
    fields = [b"X-%d: %b" % (at, b"a" * 100) for at in range(HEAD_BYTES // 150)]
    length = b"Content-Length: %d" % len(body)
    whole = head(*fields, length, b"Connection: close") + b"\r\n" + body
    pieces = [whole[at : at + 2_000] for at in range(0, 40_000, 2_000)] + [whole[40_000:]]
    assert (await response_to(echo[1], *pieces)).startswith(b"HTTP/1.1 200")
    assert echo[0].requests[0][2] == body
