"""More callers than there is room for, callers who are slow, idle, or gone before the response."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import socket
import statistics
import time
from collections.abc import Generator

import httpx2
import psutil
import pytest

from devstack.ports import HOST
from tests.e2e.fleet import until
from tests.faults.load import Account, Call, ToolRequest, caller, send_call
from tests.faults.services import Running
from tests.faults.trial import trial

pytestmark = [pytest.mark.timeout(240)]

ROOM = 48
ARRIVAL_SECONDS = 10.0
PROXIED = ("catalog_service",)
MORE = {
    "GATEWAY_MAX_CALLS": str(ROOM),
    "GATEWAY_HTTP_REQUEST_TIMEOUT_SECONDS": str(ARRIVAL_SECONDS),
}

SECTION = "rush"
DELAY_SECONDS = 0.2
IDLE = 10_000
SPARE_FILES = 1_000
SLOW = 300
VANISHING = 200
_BETWEEN_SECONDS = 0.02
"""Between two who vanish, so that what is left of them finds a place at the gateway."""

_SEARCH = ToolRequest("sponsor.search", {"search": "vpn"}, 1, frozenset({"catalog_service"}))
_STATS = ToolRequest("sponsor.top", {"limit": 3}, 1, frozenset({"catalog_service"}))


async def test_a_burst_of_ten_times_the_room_is_refused_early(stack: Running) -> None:
    proxy = stack.proxies["catalog_service"]
    async with trial(stack) as it:
        account = it.load.accounts[0]
        it.broke = time.monotonic()
        proxy.delay = (
            DELAY_SECONDS  # so that a place is held for longer than a caller takes to come
        )
        async with caller(stack.mcp_url, account, it.load.deadline) as http:
            burst = await asyncio.gather(
                *(
                    _call_on_new_connection(http, stack, account, number)
                    for number in range(10 * ROOM)
                )
            )
        proxy.delay = 0.0
        it.returned = time.monotonic()
        await it.recovers()
        it.load.calls += burst
    refused = [item for item in burst if not item.is_good]
    assert refused
    assert {call.kind for call in it.load.calls if not call.is_good} <= {
        "503 unavailable",
        "tool unavailable",
    }
    assert None not in {item.retry_after for item in refused}
    assert _median_wait(refused) < _median_wait([item for item in burst if item.is_good])
    assert await _turned_away(stack) > 0
    await it.keeps_its_promises(
        SECTION,
        f"{10 * ROOM} calls at once where {ROOM} may be under way",
        "what has no place is refused at once: 503 with Retry-After",
    )


async def _call_on_new_connection(
    http: httpx2.AsyncClient, stack: Running, account: Account, number: int
) -> Call:
    arguments = {"search": "vpn", "min_videos": 6_000 + number}
    request = ToolRequest("sponsor.search", arguments, 1, _SEARCH.needs)
    return await send_call(http, stack.mcp_url, account, request, number)


def _median_wait(calls: list[Call]) -> float:
    return statistics.median(call.ended - call.sent for call in calls)


async def _turned_away(stack: Running) -> float:
    async with httpx2.AsyncClient() as http:
        text = (await http.get(f"http://{stack.addresses.gateway}/metrics")).text
    name = 'sponsorgraph_calls_rejected_total{part="calls"}'
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


async def test_ten_thousand_idle_connections_disturb_nobody(stack: Running) -> None:
    gateway = psutil.Process(stack.pid("gateway"))
    with _many_files() as allowed:
        count = min(IDLE, allowed - SPARE_FILES)
        # What the first such rush takes, the allocator keeps for the next: the second takes no more.
        for item in await asyncio.to_thread(_opened, stack, count):
            item.close()
        await until(lambda: gateway.num_fds() < count / 10, "they stay")
        async with trial(stack) as it:
            before = gateway.num_fds()
            it.broke = time.monotonic()
            idle = await asyncio.to_thread(_opened, stack, count)
            held = gateway.num_fds() - before
            await it.goes_on()
            # They ask nothing, so the gateway ends them.
            await until(lambda: gateway.num_fds() < before + count / 10, "they stay")
            it.returned = time.monotonic()
            await it.recovers()
            for item in idle:
                item.close()
    assert held > count / 2  # the first may have ended before the last have come
    assert [call for call in it.load.calls if not call.is_good] == []
    await it.keeps_its_promises(
        SECTION, f"{count:,} idle connections", "nobody notices; they end after the time to ask"
    )


@contextlib.contextmanager
def _many_files() -> Generator[int]:
    """Lets this process open as many files as it may; how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield hard
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _opened(stack: Running, count: int) -> list[socket.socket]:
    host, _, port = stack.addresses.gateway.rpartition(":")
    return [socket.create_connection((host, int(port)), timeout=30) for _ in range(count)]


async def test_a_request_sent_byte_by_byte_times_out(stack: Running) -> None:
    async with trial(stack) as it:
        it.broke = time.monotonic()
        ends = await asyncio.gather(
            *(_drips(stack, it.load.accounts[0], item) for item in ("head", "body") * (SLOW // 2))
        )
        it.returned = time.monotonic()
        await it.recovers()
    assert set(ends) == {b"HTTP/1.1 408"}
    assert [call for call in it.load.calls if not call.is_good] == []
    await it.keeps_its_promises(
        SECTION,
        f"{SLOW} callers who send head or body byte by byte",
        f"408 after `GATEWAY_HTTP_REQUEST_TIMEOUT_SECONDS` (here {ARRIVAL_SECONDS:.0f} s); nobody else notices",
    )


async def _drips(stack: Running, account: Account, part: str) -> bytes:
    """Sends a request a byte at a time, until the gateway says something; the begin of that."""
    head, body = _request(account)
    reader, writer = await asyncio.open_connection(HOST, _port(stack))
    hearing = asyncio.ensure_future(reader.read(12))
    if part == "body":
        writer.write(head)
    for byte in body if part == "body" else head:
        writer.write(bytes((byte,)))
        done, _ = await asyncio.wait([hearing], timeout=0.2)
        if done:
            break
    received = await hearing
    writer.close()
    return received


async def test_a_caller_that_is_gone_before_the_response_is_counted_right(stack: Running) -> None:
    async with trial(stack) as it:
        it.broke = time.monotonic()
        account = it.load.accounts[0]
        for _ in range(VANISHING):
            sent = time.monotonic()
            await _vanishes(stack, account)
            it.load.calls.append(Call(account, _STATS, sent, time.monotonic(), "cut"))
            await asyncio.sleep(_BETWEEN_SECONDS)
        it.returned = time.monotonic()
        await it.recovers()
    own = [call for call in it.load.calls if call.request is not _STATS]
    assert [item for item in own if not item.is_good] == []
    await it.keeps_its_promises(
        SECTION,
        f"{VANISHING} callers who are gone before the answer",
        "their calls count once or not at all; nobody else notices",
    )


async def _vanishes(stack: Running, account: Account) -> None:
    _, writer = await asyncio.open_connection(HOST, _port(stack))
    writer.write(b"".join(_request(account)))
    await writer.drain()
    # The response finds nobody: the connection is reset, not ended.
    writer.transport.abort()


def _request(account: Account) -> tuple[bytes, bytes]:
    body = json.dumps(_STATS.message(1)).encode()
    lines = (
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {account.token}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode(), body


def _port(stack: Running) -> int:
    return int(stack.addresses.gateway.rpartition(":")[2])
