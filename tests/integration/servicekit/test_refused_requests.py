"""A refused request gets its response behind those of the requests before it (RFC 9112 section 9.3.2)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from typing import Any, Final

import pytest

from servicekit.http import server as http_server
from servicekit.http.protocol import HEAD_BYTES

REQUEST: Final = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
UPLOAD: Final = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
ARRIVAL_SECONDS: Final = 0.2


class Slow:
    """Begins its response once it has the request's first part, and ends it once `go` is set."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.paths: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.paths.append(scope["path"])
        await receive()
        if scope["path"] == "/late":
            await self.go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"begin", "more_body": True})
        await self.go.wait()
        await send({"type": "http.response.body", "body": b"end"})


@pytest.fixture
async def app() -> Slow:
    return Slow()


@pytest.fixture
async def port(app: Slow) -> AsyncGenerator[int]:
    async with http_server.serve_http(
        app, "127.0.0.1", 0, 1, request_timeout_seconds=ARRIVAL_SECONDS
    ) as bound:
        yield bound


async def statuses(port: int, app: Slow, *parts: bytes) -> list[bytes]:
    """The status of each response to these bytes, until the connection ends; `app` ends its responses after the last part."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        # A connection that was opened later has been refused, so that what came before it was read.
        await refused_without_another(port)
        app.go.set()
        async with asyncio.timeout(5):
            received = await reader.read()
    finally:
        writer.close()
    assert received.count(b"begin") == received.count(b"end") == received.count(b"HTTP/1.1 200 ")
    return re.findall(rb"HTTP/1\.1 ([0-9]{3}) ", received)


async def refused_without_another(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\n")
    assert (await reader.read()).startswith(b"HTTP/1.1 408 ")
    writer.close()


MALFORMED: Final = {
    "no request": b"\x00\x01\x02\r\n\r\n",
    "a head that is none": b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "a body that is none": UPLOAD + b"none\r\n",
}


@pytest.mark.parametrize("path", [b"/", b"/late"])
@pytest.mark.parametrize("name", MALFORMED)
async def test_a_malformed_request_is_refused_behind_the_response_to_the_request_before_it(
    port: int, app: Slow, name: str, path: bytes
) -> None:
    before = REQUEST.replace(b"/", path, 1)
    assert await statuses(port, app, before + MALFORMED[name]) == [b"200", b"400"]
    assert app.paths == [path.decode()]


async def test_a_malformed_request_is_refused_behind_all_responses_before_it(
    port: int, app: Slow
) -> None:
    sent = REQUEST * 3 + MALFORMED["no host"] + REQUEST
    assert await statuses(port, app, sent) == [b"200", b"200", b"200", b"400"]


async def test_a_late_request_is_refused_behind_the_response_before_it(
    port: int, app: Slow
) -> None:
    late = REQUEST.replace(b"/", b"/late", 1)
    assert await statuses(port, app, late, b"GET / HTTP/1.1\r\n") == [b"200", b"408"]


async def test_a_head_that_is_too_large_is_refused_behind_the_response_before_it(
    port: int, app: Slow
) -> None:
    late = REQUEST.replace(b"/", b"/late", 1)
    large = b"GET / HTTP/1.1\r\nX: " + b"a" * HEAD_BYTES
    assert await statuses(port, app, late, large) == [b"200", b"431"]


async def test_a_body_that_turns_out_malformed_ends_a_response_that_has_begun(
    port: int, app: Slow
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(UPLOAD + b"1\r\na\r\n")
    head = await reader.readuntil(b"begin")
    writer.write(b"none\r\n")
    async with asyncio.timeout(5):
        rest = await reader.read()
    writer.close()
    app.go.set()
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1" not in rest


async def test_the_reader_of_a_malformed_body_learns_that_its_caller_has_gone() -> None:
    seen: list[str] = []

    async def reading(_scope: Any, receive: Any, _send: Any) -> None:
        while not seen or seen[-1] == "http.request":
            seen.append((await receive())["type"])

    async with http_server.serve_http(reading, "127.0.0.1", 0, 1) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(UPLOAD + b"none\r\n")
        async with asyncio.timeout(5):
            received = await reader.read()
        writer.close()
    assert received.count(b"HTTP/1.1 ") == received.count(b"HTTP/1.1 400 ") == 1
    assert seen[-1] == "http.disconnect"


REFUSED: Final = {
    b"400": b"%b / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"408": b"%b / HTTP/1.1\r\n",
    b"431": b"%b / HTTP/1.1\r\nX: " + b"a" * HEAD_BYTES,
}


async def refusal(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    async with asyncio.timeout(5):
        received = await reader.read()
    writer.close()
    return received


@pytest.mark.parametrize("status", REFUSED)
async def test_a_refusal_has_a_date_and_a_body(port: int, status: bytes) -> None:
    received = await refusal(port, REFUSED[status] % b"GET")
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %b " % status)
    assert re.search(rb"\r\ndate: [^\r]+ GMT\r\n", head)
    assert b"\r\ncontent-length: %d\r\n" % len(body) in head
    assert body


@pytest.mark.parametrize("status", REFUSED)
async def test_a_refused_head_request_gets_no_body(port: int, status: bytes) -> None:
    received = await refusal(port, REFUSED[status] % b"HEAD")
    assert received.startswith(b"HTTP/1.1 %b " % status)
    assert received.endswith(b"\r\n\r\n")


async def test_what_is_no_request_after_one_of_head_gets_a_body() -> None:
    async def no_body(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async with http_server.serve_http(no_body, "127.0.0.1", 0, 1) as bound:
        head = REQUEST.replace(b"GET", b"HEAD")
        received = await refusal(bound, head + MALFORMED["no request"])
    assert b"HTTP/1.1 400 " in received
    assert not received.endswith(b"\r\n\r\n")
