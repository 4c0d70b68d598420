"""Responses that are sent whole, and connections between requests."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from servicekit.http import server as http_server
from servicekit.http.exchange import WHOLE
from servicekit.process import shutdown
from tests.integration.servicekit.raw_http import response

Fields = tuple[tuple[bytes, bytes], ...]


class Whole:
    """Sends each response whole, with these fields of its own."""

    def __init__(self, fields: Fields = ()) -> None:
        self.fields = fields

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert WHOLE in scope["extensions"]
        await receive()
        shared = ((b"content-type", b"text/plain"),)
        await send(
            {
                "type": WHOLE,
                "status": 200,
                "shared": shared,
                "headers": self.fields,
                "body": b"hello",
            }
        )


def request(method: str = "GET", *, last: bool = True) -> bytes:
    closes = "Connection: close\r\n" if last else ""
    return f"{method} / HTTP/1.1\r\nHost: a\r\n{closes}\r\n".encode()


async def test_a_response_has_its_length_and_all_fields() -> None:
    sent = await response(Whole(((b"x-own", b"1"), (b"x-own", b"2"))), request())
    head, _, body = sent.partition(b"\r\n\r\n")
    status, *fields = head.split(b"\r\n")
    assert status == b"HTTP/1.1 200 OK"
    assert [field for field in fields if not field.startswith(b"date: ")] == [
        b"content-type: text/plain",
        b"x-own: 1",
        b"x-own: 2",
        b"content-length: 5",
        b"connection: close",
    ]
    assert body == b"hello"


async def test_head_gets_the_length_alone() -> None:
    sent = await response(Whole(), request("HEAD"))
    assert b"content-length: 5\r\n" in sent
    assert sent.endswith(b"\r\n\r\n")


async def test_requests_on_one_connection_get_their_responses_in_order() -> None:
    sent = await response(Whole(), request(last=False) * 2 + request())
    assert sent.count(b"HTTP/1.1 200 OK\r\n") == sent.count(b"\r\n\r\nhello") == 3


@pytest.mark.parametrize(
    "field",
    [(b"x-own", b"1\r\nset-cookie: a=b"), (b"x-own", b"a\x00"), (b"x own", b"1"), (b"x:", b"1")],
)
async def test_a_field_that_would_end_the_head_or_begin_another_one_is_not_sent(
    field: tuple[bytes, bytes],
) -> None:
    sent = await response(Whole((field,)), request())
    assert sent.startswith(b"HTTP/1.1 500 ")
    assert b"own" not in sent


async def test_a_second_response_is_an_error() -> None:
    async def twice(scope: Any, receive: Any, send: Any) -> None:
        await Whole()(scope, receive, send)
        await Whole()(scope, receive, send)

    assert (await response(twice, request())).count(b"HTTP/1.1 ") == 1


async def test_a_connection_ends_with_its_response_once_the_process_stops() -> None:
    with shutdown.of_this_process() as graceful_shutdown:
        await graceful_shutdown.begin()
        assert b"connection: close\r\n" in await response(Whole(), request(last=False))


async def test_an_application_may_end_the_connection() -> None:
    sent = await response(Whole(((b"connection", b"close"),)), request(last=False))
    assert sent.count(b"connection: close\r\n") == 1


async def test_an_idle_connection_is_closed_by_the_time_since_its_last_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_server, "KEEP_ALIVE_SECONDS", 0.4)
    async with http_server.serve_http(Whole(), "127.0.0.1", 0, 1) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        began = 0.0
        for _ in range(3):
            began = time.monotonic()
            writer.write(request(last=False))
            await reader.readuntil(b"hello")
            await asyncio.sleep(0.25)
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        assert time.monotonic() - began >= 0.4
        writer.close()


async def test_a_blank_line_between_requests_does_not_keep_a_connection_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_server, "KEEP_ALIVE_SECONDS", 1)
    async with http_server.serve_http(Whole(), "127.0.0.1", 0, 30) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request(last=False))
        assert (await reader.readuntil(b"hello")).endswith(b"hello")
        writer.write(b"\r\n")
        async with asyncio.timeout(10):
            assert await reader.read() == b""
        writer.close()


async def test_a_request_before_a_waiting_one_learns_that_its_caller_has_gone() -> None:
    gone = asyncio.Event()

    async def stream(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    async with http_server.serve_http(stream, "127.0.0.1", 0, 30) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request(last=False) * 2)
        assert b"hello" in await reader.readuntil(b"hello")
        writer.transport.abort()
        async with asyncio.timeout(10):
            await gone.wait()


@pytest.mark.parametrize("name", [b"content-length", b"Transfer-Encoding"])
async def test_an_application_cannot_say_how_long_its_body_is(name: bytes) -> None:
    sent = await response(Whole(((name, b"3"),)), request())
    assert sent.startswith(b"HTTP/1.1 500 ")


async def test_a_response_that_says_close_in_any_form_ends_its_connection() -> None:
    sent = await response(Whole(((b"Connection", b"x, Close"),)), request(last=False))
    assert sent.endswith(b"\r\n\r\nhello")
    assert sent.lower().count(b"connection: ") == 1
