"""Rate limits hold in every failure of Valkey."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import redis.asyncio as redis

from auth_service.storage.throttle import LocalThrottle, ValkeyThrottle
from devstack.ports import free_port

_opening: Any = redis.Redis


class Clock:
    """A manual clock."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def key() -> str:
    return f"test:{secrets.token_hex(6)}"


@asynccontextmanager
async def throttle_at(url: str, clock: Clock) -> AsyncGenerator[ValkeyThrottle]:
    async with _opening.from_url(url, socket_timeout=0.2) as client:
        yield ValkeyThrottle(client, clock)


async def admitted(throttle: ValkeyThrottle | LocalThrottle, key: str, times: int) -> int:
    waits = [await throttle.admit(key, 3, 60) for _ in range(times)]
    return waits.count(None)


async def test_replicas_share_a_count_and_a_window_ends(
    valkey_url: str, clock: Clock, key: str
) -> None:
    async with throttle_at(valkey_url, clock) as first, throttle_at(valkey_url, clock) as second:
        assert await admitted(first, key, 2) == 2
        assert await admitted(second, key, 2) == 1
        assert await first.admit(key, 3, 60) == 60 - clock.now % 60
        clock.now += 60
        assert await admitted(first, key, 4) == 3


async def test_a_count_begins_anew_when_it_is_forgotten(
    valkey_url: str, clock: Clock, key: str
) -> None:
    async with throttle_at(valkey_url, clock) as throttle:
        assert await admitted(throttle, key, 4) == 3
        await throttle.forget(key, 60)
        assert await admitted(throttle, key, 4) == 3


@asynccontextmanager
async def gone(_valkey: str) -> AsyncGenerator[str]:
    yield f"redis://127.0.0.1:{free_port()}"


@asynccontextmanager
async def silent(_valkey: str) -> AsyncGenerator[str]:
    """Accept connections and never respond."""
    async with _listening(lambda _: b"") as url:
        yield url


@asynccontextmanager
async def talking_nonsense(_valkey: str) -> AsyncGenerator[str]:
    async with _listening(lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n") as url:
        yield url


@asynccontextmanager
async def counting_in_words(_valkey: str) -> AsyncGenerator[str]:
    async with _listening(lambda received: b"+many\r\n" * received.count(b"*")) as url:
        yield url


@asynccontextmanager
async def read_only(valkey: str) -> AsyncGenerator[str]:
    """Refuse writes, like a Valkey whose disk or memory is full."""
    name, password = f"reader-{secrets.token_hex(4)}", secrets.token_hex(8)
    async with _opening.from_url(valkey) as client:
        await client.execute_command(
            "ACL", "SETUSER", name, "on", f">{password}", "~*", "+@read", "+@connection"
        )
        yield valkey.replace("redis://", f"redis://{name}:{password}@")
        await client.execute_command("ACL", "DELUSER", name)


@asynccontextmanager
async def _listening(response: Callable[[bytes], bytes]) -> AsyncGenerator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while received := await reader.read(4_096):
            writer.write(response(received))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("failing", [gone, silent, talking_nonsense, counting_in_words, read_only])
async def test_a_limit_holds_while_valkey_fails_in_any_way(
    valkey_url: str, clock: Clock, key: str, failing: Any
) -> None:
    async with failing(valkey_url) as url, throttle_at(url, clock) as throttle:
        assert await admitted(throttle, key, 5) == 3
        await throttle.forget(key, 60)
        waits: list[float | None] = []
        for _ in range(5):
            clock.now += 2  # Valkey is tried again
            waits.append(await throttle.admit(key, 3, 60))
        assert waits[:3] == [None] * 3
        assert None not in waits[3:]


async def test_attempts_counted_before_valkey_went_count_after_it(
    valkey_url: str, clock: Clock, key: str
) -> None:
    async with _opening.from_url(valkey_url, socket_timeout=0.2) as client:
        throttle = ValkeyThrottle(client, clock)
        assert await admitted(throttle, key, 2) == 2
        await client.connection_pool.disconnect()
        client.connection_pool = redis.ConnectionPool(host="127.0.0.1", port=free_port())
        assert await admitted(throttle, key, 3) == 1


async def test_a_valkey_that_hangs_is_not_waited_for_by_every_attempt(
    clock: Clock, key: str
) -> None:
    received: list[bytes] = []

    def record_request(piece: bytes) -> bytes:
        received.append(piece)
        return b""

    async with _listening(record_request) as url, throttle_at(url, clock) as throttle:
        assert await admitted(throttle, key, 500) == 3
    assert 1 <= len(received) <= 10


async def test_a_process_stores_only_so_many_counts(clock: Clock) -> None:
    throttle = LocalThrottle(clock, capacity=100)
    for at in range(1_000):
        await throttle.admit(f"test:{at}", 3, 60)
    assert len(throttle) == 100


async def test_a_key_that_callers_made_long_is_stored_short(valkey_url: str, clock: Clock) -> None:
    async with (
        throttle_at(valkey_url, clock) as throttle,
        _opening.from_url(valkey_url, decode_responses=True) as client,
    ):
        before = set(await client.keys("sponsorgraph:throttle:*"))
        assert await admitted(throttle, "login:" + "x\ud800" * 20_000, 5) == 3
        (added,) = set(await client.keys("sponsorgraph:throttle:*")) - before
    assert len(added) < 200
