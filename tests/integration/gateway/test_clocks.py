"""The month's turn and jumping clocks, under load: a call counts in the month of its response.

The clock of counting is Valkey's, and Postgres's while Valkey is away; here one clock stands in for
both, while those of the gateway's own machine stay where they are, weeks away from it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from devstack.engines import Valkey
from devstack.ports import free_port
from tests.fakes.backends import Backends
from tests.faults.reliability import Row, note
from tests.integration.gateway.conftest import OpenGateway, Service, until

SECTION = "valkey"
WAVE = 30


@dataclass
class Clock:
    now: datetime

    def __call__(self) -> datetime:
        return self.now


@dataclass
class CountedCalls:
    """Successful calls by the end of the month in which they count, as their responses said."""

    service: Service
    clock: Clock
    backends: Backends
    by_month: Counter[str]
    failures: int = 0

    async def wave(self, moments: Sequence[datetime]) -> None:
        """Calls without pause, while the clock goes through the moments."""
        calls: list[asyncio.Task[None]] = []
        for moment in (self.clock.now, *moments):
            self.clock.now = moment
            fresh = [asyncio.create_task(self._call()) for _ in range(WAVE)]
            # The next moment comes while most of these are under way.
            await asyncio.wait(fresh, return_when=asyncio.FIRST_COMPLETED)
            calls += fresh
        await asyncio.gather(*calls)

    async def _call(self) -> None:
        reply = await self.service.call("category.list")
        if reply.status_code == 200:
            self.by_month[reply.json()["result"]["_meta"]["sponsorgraph/quota"]["resets_at"]] += 1
        else:
            self.failures += 1

    async def assert_counted(self, fault: str, promised: str) -> None:
        """Ledger and counters have every successful call, in its month."""
        assert self.failures == 0
        assert len(self.by_month) > 1

        async def arrived() -> bool:
            return self.by_month == self._in_ledger()

        await until(arrived)
        reply = await self.service.call("account.usage")
        usage = reply.json()["result"]["structuredContent"]
        assert usage["requests_used"] == self.by_month[usage["resets_at"]]
        note(Row(SECTION, fault, promised, self.by_month.total(), {}, 0, 0, None))

    def _in_ledger(self) -> Counter[str]:
        by_month: Counter[str] = Counter()
        for entry in self.backends.access.ledger.values():
            first = entry.admitted_at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
            following = (first + timedelta(days=32)).replace(day=1)
            by_month[following.isoformat().replace("+00:00", "Z")] += entry.cost
        return by_month


@pytest.fixture
def clock(backends: Backends) -> Clock:
    made = Clock(datetime(2030, 1, 31, 23, 59, 59, 999_000, tzinfo=UTC))
    backends.access.clock = made
    return made


async def test_the_month_turns_under_load(
    open_gateway: OpenGateway, backends: Backends, clock: Clock
) -> None:
    async with open_gateway(clock=clock) as service:
        calls = CountedCalls(service, clock, backends, Counter())
        await calls.wave([clock.now + timedelta(milliseconds=n) for n in range(4)])
        await calls.assert_counted(
            "The month's turn under load", "each call counts in the month that it is told"
        )


async def test_the_month_turns_while_valkey_is_away(
    open_gateway: OpenGateway, backends: Backends, clock: Clock, tmp_path: Path
) -> None:
    server = Valkey(free_port(), "test", tmp_path / "log", tmp_path / "data")
    server.start()
    try:
        async with open_gateway(
            clock=clock, valkey_url=server.url(), valkey_timeout_seconds=1
        ) as service:
            calls = CountedCalls(service, clock, backends, Counter())
            await calls.wave([])
            assert server.process is not None
            server.process.kill()
            server.process.wait()
            await calls.wave([clock.now + timedelta(milliseconds=n) for n in range(4)])
            server.start()

            async def by_valkey() -> bool:
                metrics = (await service.http.get("/metrics")).text
                return "sponsorgraph_quota_failover_active 0.0" in metrics

            await until(by_valkey)
            await calls.wave([])
            await calls.assert_counted(
                "The month's turn while Valkey is away",
                "each call counts in the month that it is told",
            )
    finally:
        server.stop()


async def test_clocks_jump_under_load(
    open_gateway: OpenGateway, backends: Backends, clock: Clock
) -> None:
    async with open_gateway(clock=clock) as service:
        calls = CountedCalls(service, clock, backends, Counter())
        began = clock.now
        jumps = [timedelta(days=40), timedelta(days=-80), timedelta(hours=1), timedelta()]
        await calls.wave([began + jump for jump in jumps])
        await calls.assert_counted(
            "The counter's clock jumps 40 days on, 80 back, and returns",
            "each call counts in the month that it is told; gateways' clocks count nothing",
        )
