"""Valkey is lost in four ways while the ledger, which counts instead, answers late for a while."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from devstack.engines import Valkey
from devstack.ports import HOST, free_port
from servicekit.errors import NotFound
from tests.fakes.backends import Backends
from tests.faults.slow_proxy import SlowProxy
from tests.integration.gateway.conftest import OpenGateway, Service

LATE_SECONDS = 0.3
"""Each transaction of the ledger takes that long, and one follows the other."""

DEADLINE_SECONDS = 4.0
CREDENTIALS_SECONDS = 0.5
"""The deadline of credentials, which three transactions of the ledger exceed."""

VALKEY_SECONDS = 0.4
OUTAGE_SECONDS = 4.0
CALLERS = 8
MAX_RATIO = 8
"""The slowest percent of calls wait for Valkey, and for so many transactions of the ledger."""


class LateLedger:
    """Answers late while `delay` is set, one transaction after the other."""

    def __init__(self) -> None:
        self.delay = 0.0
        self._turn = asyncio.Lock()

    async def __call__(self, _name: str) -> None:
        if self.delay:
            async with self._turn:
                await asyncio.sleep(self.delay)


async def stop(server: Valkey, _way: SlowProxy) -> None:
    server.stop()


async def pause(server: Valkey, _way: SlowProxy) -> None:
    assert server.process is not None
    server.process.send_signal(signal.SIGSTOP)


async def kill(server: Valkey, _way: SlowProxy) -> None:
    assert server.process is not None
    server.process.kill()
    server.process.wait()


async def refuse(_server: Valkey, way: SlowProxy) -> None:
    await way.vanish()


Losing = Callable[[Valkey, SlowProxy], Awaitable[None]]


@asynccontextmanager
async def counted_by(tmp_path: Path) -> AsyncGenerator[tuple[Valkey, SlowProxy, str]]:
    """A Valkey of its own behind a port that can be made to refuse; yields its URL, too."""
    server = Valkey(free_port(), "test", tmp_path / "log")
    server.start()
    try:
        async with SlowProxy(free_port(), f"{HOST}:{server.port}").listening() as way:
            yield server, way, server.url().replace(f":{server.port}/", f":{way.port}/")
    finally:
        if server.process is not None and server.process.poll() is None:
            server.process.send_signal(signal.SIGCONT)
        server.stop()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


@pytest.mark.parametrize("losing", [stop, pause, kill, refuse])
async def test_a_ledger_that_responds_late_counts_every_call_without_valkey(
    open_gateway: OpenGateway, backends: Backends, tmp_path: Path, losing: Losing
) -> None:
    late = LateLedger()
    backends.access.before_counting = late
    async with (
        counted_by(tmp_path) as (server, way, url),
        open_gateway(
            valkey_url=url,
            valkey_timeout_seconds=VALKEY_SECONDS,
            auth_timeout_seconds=CREDENTIALS_SECONDS,
            counting_timeout_seconds=DEADLINE_SECONDS,
        ) as service,
    ):
        assert (await service.call("category.list")).status_code == 200
        late.delay = LATE_SECONDS
        calling = asyncio.create_task(calls_for(service, OUTAGE_SECONDS))
        await losing(server, way)
        replies = await calling
        late.delay = 0.0
        assert [reply for reply in replies if reply[0] != 200] == []
        waits = [seconds for _, seconds, _ in replies]
        bound = 2 * VALKEY_SECONDS + MAX_RATIO * LATE_SECONDS
        assert percentile(waits, 0.99) <= bound, waits
    assert sum(entry.cost for entry in backends.access.ledger.values()) == 1 + len(replies)


async def test_failed_calls_share_the_report_that_a_late_ledger_takes_long_for(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    late = LateLedger()
    backends.access.before_counting = late
    backends.catalog_error = NotFound("No sponsor is called x.")
    async with open_gateway(
        valkey_url=f"redis://{HOST}:1/0",
        auth_timeout_seconds=CREDENTIALS_SECONDS,
        counting_timeout_seconds=DEADLINE_SECONDS,
    ) as service:
        await service.call("account.usage")
        late.delay = LATE_SECONDS
        began = time.monotonic()
        calls = [service.call("sponsor.get", {"sponsor": "x"}) for _ in range(2 * CALLERS)]
        replies = await asyncio.gather(*calls)
        waited = time.monotonic() - began
        late.delay = 0.0
        assert {reply.json()["error"]["message"] for reply in replies} == {
            "No sponsor is called x."
        }
        assert waited <= MAX_RATIO * LATE_SECONDS
    assert sum(entry.cost for entry in backends.access.ledger.values()) == 0


async def calls_for(service: Service, seconds: float) -> list[tuple[int, float, Any]]:
    """Call with several callers at once; return each call's status, seconds and reply."""
    found: list[tuple[int, float, Any]] = []
    ends = time.monotonic() + seconds

    async def caller() -> None:
        while time.monotonic() < ends:
            began = time.monotonic()
            reply = await service.call("category.list")
            found.append((reply.status_code, time.monotonic() - began, reply.text[:200]))

    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    return found
