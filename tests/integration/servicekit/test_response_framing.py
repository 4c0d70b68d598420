"""What responses say of their own end, and of that of the connection."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest

from servicekit.http import server as http_server
from servicekit.http.exchange import WHOLE
from tests.integration.servicekit.raw_http import response

EXPECTING: Final = (
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"
)
GET: Final = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
LAST: Final = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


class Responding:
    """Responds with a status, whole or in parts, before it has read the body or after."""

    def __init__(self, status: int, *, is_whole: bool, reads: bool = True) -> None:
        self.status = status
        self.is_whole = is_whole
        self.reads = reads

    async def __call__(self, _scope: Any, receive: Any, send: Any) -> None:
        while self.reads and (await receive()).get("more_body"):
            pass
        fields = ((b"x-own", b"1"),)
        if self.is_whole:
            whole = {"type": WHOLE, "shared": (), "headers": fields, "body": b""}
            await send(whole | {"status": self.status})
            return
        headers = [*fields, (b"Content-Length", b"0")]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("status", [204, 304])
async def test_a_response_without_a_body_has_no_length(status: int, *, is_whole: bool) -> None:
    sent = await response(Responding(status, is_whole=is_whole), LAST)
    assert sent.startswith(b"HTTP/1.1 %d " % status)
    assert b"x-own: 1\r\n" in sent
    assert b"content-length" not in sent.lower()
    assert b"transfer-encoding" not in sent.lower()
    assert sent.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("is_whole", [True, False])
async def test_an_empty_body_has_a_length(*, is_whole: bool) -> None:
    sent = await response(Responding(200, is_whole=is_whole), LAST)
    assert sent.lower().count(b"content-length: 0\r\n") == 1


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("status", [204, 304])
async def test_a_body_of_a_status_that_has_none_is_not_sent(status: int, *, is_whole: bool) -> None:
    async def with_body(_scope: Any, _receive: Any, send: Any) -> None:
        if is_whole:
            whole = {"type": WHOLE, "shared": (), "headers": (), "body": b"hello"}
            await send(whole | {"status": status})
            return
        headers = [(b"content-length", b"10")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"hello", "more_body": True})
        await send({"type": "http.response.body", "body": b"hello"})

    sent = await response(with_body, GET + LAST)
    assert sent.count(b"HTTP/1.1 %d " % status) == 2
    assert b"hello" not in sent
    assert sent.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("is_whole", [True, False])
async def test_a_response_before_an_expected_body_ends_the_connection(*, is_whole: bool) -> None:
    sent = await response(Responding(401, is_whole=is_whole, reads=False), EXPECTING)
    assert sent.startswith(b"HTTP/1.1 401 ")
    assert sent.count(b"connection: close\r\n") == 1


@pytest.mark.parametrize("reads", [True, False])
async def test_a_response_after_an_expected_body_does_not_end_the_connection(
    *, reads: bool
) -> None:
    app = Responding(200, is_whole=True, reads=reads)
    sent = await response(app, EXPECTING + b"body" + LAST)
    assert sent.count(b"HTTP/1.1 200 ") == 2
    assert sent.count(b"connection: close\r\n") == 1


async def test_an_expected_body_is_requested_once_it_is_read() -> None:
    async with http_server.serve_http(Responding(200, is_whole=True), "127.0.0.1", 0, 1) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(EXPECTING)
        async with asyncio.timeout(5):
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            writer.write(b"body" + LAST)
            assert (await reader.read()).count(b"HTTP/1.1 200 ") == 2
        writer.close()


async def test_a_request_of_http_1_0_expects_nothing() -> None:
    old = EXPECTING.replace(b"HTTP/1.1", b"HTTP/1.0")
    sent = await response(Responding(200, is_whole=True), old + b"body")
    assert sent.startswith(b"HTTP/1.1 200 ")
