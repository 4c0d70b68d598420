"""A service that the gateway calls is gone, far away, or answers nonsense, under load."""

from __future__ import annotations

import asyncio
import random
import struct
import time
from collections.abc import Callable

import pytest

from tests.faults.services import PEERS, Running
from tests.faults.slow_proxy import StandIn
from tests.faults.trial import Trial, trial

pytestmark = [pytest.mark.timeout(240)]

SECTION = "peers"

BROKEN_SECONDS = 3.0
DELAY_SECONDS = 0.4
_DATA, _HEADERS, _SETTINGS = 0, 1, 4
_END_HEADERS, _END_STREAM, _ACK = 4, 1, 1
_SERVING = b"\x08\x01"
_CUT_SHORT = b"\x0a\x78abc"
"""Field 1 with a length of 120 bytes, of which three come."""

_PREFACE_BYTES = 24
_PAGE = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\nhello\n"


async def random_bytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Says what no protocol has."""
    noise = random.Random(7)
    while await reader.read(65_536):
        writer.write(noise.randbytes(512))
        await writer.drain()


async def web_page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A web server of HTTP/1.1 that took over the address."""
    await reader.read(65_536)
    writer.write(_PAGE)
    await writer.drain()


async def wrong_messages(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """HTTP/2 and gRPC as they should be, healthy even, and in each response a message that is none.

    RFC 9113 sections 4.1 and 6; headers by RFC 7541 without a table: each name and value in full.
    """
    await reader.readexactly(_PREFACE_BYTES)
    writer.write(_frame(_SETTINGS, 0, 0, b""))
    while True:
        head = await reader.readexactly(9)
        size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        stream = int.from_bytes(head[5:], "big")
        await reader.readexactly(size)
        if kind == _SETTINGS and not flags & _ACK:
            writer.write(_frame(_SETTINGS, _ACK, 0, b""))
        elif kind == _HEADERS:
            is_watch = stream == 1  # the client's first request is for our health
            message = _SERVING if is_watch else _CUT_SHORT
            ok = b"\x88" + _literal(b"content-type", b"application/grpc")
            writer.write(_frame(_HEADERS, _END_HEADERS, stream, ok))
            writer.write(_frame(_DATA, 0, stream, struct.pack(">BI", 0, len(message)) + message))
            if not is_watch:
                trailers = _literal(b"grpc-status", b"0")
                writer.write(_frame(_HEADERS, _END_HEADERS | _END_STREAM, stream, trailers))
        await writer.drain()


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    head = len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big")
    return head + payload


def _literal(name: bytes, value: bytes) -> bytes:
    return b"\x00" + bytes((len(name),)) + name + bytes((len(value),)) + value


def assert_clear_errors(it: Trial) -> None:
    """Whoever had no response got an error that says that it is for now."""
    bad = [call for call in it.load.calls if not call.is_good]
    assert [item for item in bad if not item.kind.endswith("unavailable")] == []


@pytest.mark.parametrize("name", PEERS)
async def test_a_peer_that_is_gone_is_missed_by_those_who_need_it_alone(
    shared: Running, name: str
) -> None:
    proxy = shared.proxies[name]
    async with trial(shared) as it:
        it.broke = time.monotonic()
        await proxy.vanish()
        await asyncio.sleep(BROKEN_SECONDS)
        await proxy.appear()
        it.returned = time.monotonic()
        await it.recovers()
    it.assert_goes_on_without(name)
    assert_clear_errors(it)
    await it.keeps_its_promises(
        SECTION, f"{name} not reachable", "503 at once to what needs it; all else goes on"
    )


@pytest.mark.parametrize("name", PEERS)
async def test_a_peer_that_is_far_away_makes_only_those_wait_who_need_it(
    shared: Running, name: str
) -> None:
    proxy = shared.proxies[name]
    async with trial(shared) as it:
        it.broke = time.monotonic()
        proxy.delay = DELAY_SECONDS
        await asyncio.sleep(BROKEN_SECONDS)
        proxy.delay = 0.0
        it.returned = time.monotonic()
        await it.recovers()
    it.assert_goes_on_without(name)
    assert_clear_errors(it)
    await it.keeps_its_promises(
        SECTION,
        f"{name} {DELAY_SECONDS * 1000:.0f} ms away each way",
        "slow answers to what needs it; all else as before",
    )


@pytest.mark.parametrize("stand_in", [random_bytes, web_page, wrong_messages])
async def test_nonsense_from_a_peer_is_rejected(shared: Running, stand_in: StandIn) -> None:
    names: dict[StandIn, str] = {
        random_bytes: "random bytes",
        web_page: "a page of HTTP/1.1",
        wrong_messages: "gRPC with messages that are none",
    }
    async with trial(shared) as it:
        it.broke = time.monotonic()
        await _instead(shared, stand_in)
        await asyncio.sleep(BROKEN_SECONDS)
        await _instead(shared, None)
        it.returned = time.monotonic()
        await it.recovers()
    it.assert_goes_on_without("catalog_service")
    assert_clear_errors(it)
    await it.keeps_its_promises(
        SECTION,
        f"In place of catalog_service: {names[stand_in]}",
        "503 to what asks the catalogue, never a wrong answer; all else goes on",
    )


async def _instead(shared: Running, stand_in: Callable[..., object] | None) -> None:
    """New connections to the catalog get this stand-in; those that are open end."""
    proxy = shared.proxies["catalog_service"]
    proxy.stand_in = stand_in  # type: ignore[assignment]
    proxy.cut()
