"""A client that does not read its response loses its connection; one that reads slowly does not."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from uvicorn.protocols.http.flow_control import FlowControl

from servicekit.http import server as http_server
from servicekit.http.exchange import WHOLE
from servicekit.http.metrics import UNREAD_RESPONSES
from servicekit.http.write_timeout import TimedFlow

BODY: Final = bytes(24 * 1024 * 1024)
"""More than the kernel's buffers of both sides take."""

SLOWLY: Final = 32 * 1024
"""Enough for an acknowledgement, and by far too little for Linux to call the server's socket writable."""

ARRIVAL_SECONDS: Final = 0.2
WRITE_SECONDS: Final = 0.3


class Large:
    """Responds with a large body; `left` is set once its caller has gone."""

    def __init__(self) -> None:
        self.left = asyncio.Event()

    async def __call__(self, _scope: Any, receive: Any, send: Any) -> None:
        await receive()
        headers = [(b"content-length", b"%d" % (2 * len(BODY)))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": BODY, "more_body": True})
        await send({"type": "http.response.body", "body": BODY})
        assert (await receive())["type"] == "http.disconnect"
        self.left.set()


async def whole(_scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": WHOLE, "status": 200, "shared": (), "headers": (), "body": BODY})


async def failing(_scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": BODY, "more_body": True})
    raise RuntimeError("after the response began")


async def incomplete(_scope: Any, receive: Any, send: Any) -> None:
    with contextlib.suppress(RuntimeError):
        await failing(_scope, receive, send)


def unread() -> float:
    (metric,) = UNREAD_RESPONSES.collect()
    return metric.samples[0].value


def request(*, last: bool = False) -> bytes:
    closes = b"Connection: close\r\n" if last else b""
    return b"GET / HTTP/1.1\r\nHost: a\r\n" + closes + b"\r\n"


@asynccontextmanager
async def served(app: Any, write_seconds: float = WRITE_SECONDS) -> AsyncGenerator[int]:
    async with http_server.serve_http(
        app,
        "127.0.0.1",
        0,
        1,
        request_timeout_seconds=ARRIVAL_SECONDS,
        write_timeout_seconds=write_seconds,
    ) as port:
        yield port


@asynccontextmanager
async def client_of(port: int) -> AsyncGenerator[socket.socket]:
    """A client that reads what it says and no more: asyncio's streams read ahead, as a kernel does whose buffer may grow."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOWLY)
        client.connect(("127.0.0.1", port))
        client.setblocking(False)
        yield client


async def time_passes(port: int) -> None:
    """Waits for `ARRIVAL_SECONDS`, after which the server ends a connection without a request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert await reader.read() == b""
    writer.close()


async def ended_unread(port: int, before: float) -> None:
    async with asyncio.timeout(10):
        while unread() == before:
            await time_passes(port)


async def read_to_the_end(client: socket.socket) -> int:
    """How many bytes come until the connection ends, in order or not."""
    loop, size = asyncio.get_running_loop(), 0
    try:
        async with asyncio.timeout(10):
            while part := await loop.sock_recv(client, 1024 * 1024):
                size += len(part)
    except ConnectionResetError:
        pass
    return size


async def test_a_client_that_does_not_read_loses_its_connection_and_its_application_learns_of_it() -> (
    None
):
    app, before = Large(), unread()
    async with served(app) as port, client_of(port) as client:
        await asyncio.get_running_loop().sock_sendall(client, request())
        async with asyncio.timeout(10):
            await app.left.wait()
        assert await read_to_the_end(client) < len(BODY)
    assert unread() == before + 1


@pytest.mark.parametrize("last", [True, False])
async def test_a_response_sent_whole_has_to_be_read_too(*, last: bool) -> None:
    before = unread()
    async with served(whole) as port, client_of(port) as client:
        await asyncio.get_running_loop().sock_sendall(client, request(last=last))
        await ended_unread(port, before)
        assert await read_to_the_end(client) < len(BODY)


@pytest.mark.parametrize("end", ["by its response", "by the client", "by silence"])
async def test_a_connection_that_ends_is_not_flushed_for_ever(
    monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    # As where the rest is too small for a buffer to count as full.
    monkeypatch.setattr(TimedFlow, "pause_writing", FlowControl.pause_writing)
    monkeypatch.setattr(http_server, "KEEP_ALIVE_SECONDS", ARRIVAL_SECONDS)
    before = unread()
    async with served(whole) as port, client_of(port) as client:
        sent = request(last=end == "by its response")
        await asyncio.get_running_loop().sock_sendall(client, sent)
        if end == "by the client":
            await time_passes(port)
            client.shutdown(socket.SHUT_WR)
        await ended_unread(port, before)
        assert await read_to_the_end(client) < len(BODY)


@pytest.mark.parametrize("app", [failing, incomplete])
async def test_a_response_that_is_not_completed_is_not_flushed_for_ever(
    monkeypatch: pytest.MonkeyPatch, app: Any
) -> None:
    monkeypatch.setattr(TimedFlow, "pause_writing", FlowControl.pause_writing)
    before = unread()
    async with served(app) as port, client_of(port) as client:
        await asyncio.get_running_loop().sock_sendall(client, request())
        await ended_unread(port, before)
        assert await read_to_the_end(client) < len(BODY)


async def test_a_client_that_does_not_read_loses_its_connection_where_the_kernel_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unsupported(*_arguments: object) -> None:
        raise OSError

    monkeypatch.setattr(fcntl, "ioctl", unsupported)
    before = unread()
    async with served(whole) as port, client_of(port) as client:
        await asyncio.get_running_loop().sock_sendall(client, request())
        await ended_unread(port, before)


async def test_a_client_that_reads_slowly_gets_its_whole_response() -> None:
    before, size = unread(), 0
    loop = asyncio.get_running_loop()
    async with served(whole, 5 * ARRIVAL_SECONDS) as port, client_of(port) as client:
        await loop.sock_sendall(client, request(last=True))
        for _ in range(8):
            await time_passes(port)
            until = size + SLOWLY
            while size < until:
                size += len(await loop.sock_recv(client, until - size))
        size += await read_to_the_end(client)
    assert size > len(BODY)
    assert unread() == before
