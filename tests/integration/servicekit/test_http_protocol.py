"""A request has to arrive within its time and with a head of bounded size, or its connection ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from servicekit.http import server as http_server
from servicekit.http.protocol import HEAD_BYTES

ARRIVAL_SECONDS = 0.2


class Reading:
    """Responds once it has the whole request and `go` is set; `left` is set when the caller goes."""

    def __init__(self) -> None:
        self.left = asyncio.Event()
        self.go = asyncio.Event()
        self.go.set()

    async def __call__(self, _scope: Any, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left.set()
                return
            if not message.get("more_body"):
                break
        await self.go.wait()
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
async def app() -> Reading:
    return Reading()


@pytest.fixture
async def port(app: Reading) -> AsyncGenerator[int]:
    async with http_server.serve_http(
        app, "127.0.0.1", 0, 1, request_timeout_seconds=ARRIVAL_SECONDS
    ) as bound:
        yield bound


async def ended(port: int, *parts: bytes) -> bytes:
    """All that the server says to these bytes, until it ends the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await writer.drain()
    try:
        return await reader.read()
    finally:
        writer.close()


async def test_a_connection_without_a_request_ends_without_a_word(port: int) -> None:
    assert await ended(port) == b""


async def test_a_head_that_does_not_end_gets_a_timeout(port: int) -> None:
    response = await ended(port, b"GET / HTTP/1.1\r\nHost: a\r\n")
    assert response.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in response


async def test_a_body_that_does_not_end_gets_a_timeout_and_its_reader_an_error(
    port: int, app: Reading
) -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"
    assert (await ended(port, head, b"four")).startswith(b"HTTP/1.1 408 ")
    async with asyncio.timeout(5):
        await app.left.wait()


async def test_a_second_request_on_a_connection_has_its_own_time(port: int) -> None:
    whole = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    response = await ended(port, whole, b"GET / HTTP/1.1\r\n")
    assert response.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in response


async def test_a_head_without_end_is_not_stored(port: int) -> None:
    lines = [b"GET / HTTP/1.1\r\nX-Long: ", *[b"a" * 4_096] * (HEAD_BYTES // 4_096 + 1)]
    assert (await ended(port, *lines)).startswith(b"HTTP/1.1 431 ")


async def test_a_response_may_take_longer_than_a_request(port: int, app: Reading) -> None:
    app.go.clear()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    # A connection opened later and without a request has run out of its time first.
    assert await ended(port) == b""
    app.go.set()
    assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
    writer.close()
