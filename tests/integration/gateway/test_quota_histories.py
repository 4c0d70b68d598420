"""Histories of concurrent calls on real engines with parts that go, held against one exact counter.

Two gateways on a real Valkey, each by a way of its own that can be cut, and on the ledger in a real
Postgres. Each caller's calls are recorded with begin, end and outcome.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from auth_service import MIGRATIONS
from auth_service.settings import AuthSettings
from devstack.engines import Valkey as Server
from devstack.ports import free_port
from gateway.authentication.principal import Entitlements, Principal
from gateway.quota.errors import AdmissionUnknown, QuotaExceeded
from gateway.quota.failover import FailoverLimiter
from gateway.quota.lease import FailoverPolicy
from gateway.quota.limiter import Quota
from gateway.quota.models import Decision, Reservation, Seed, UsageRequest
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.quota.valkey_generation import ValkeyGenerationStore
from gateway.quota.valkey_ledger_writer import LedgerPace, LedgerWriter
from gateway.storage.valkey_client import open_valkey
from servicekit import database
from servicekit.concurrency.background import in_background
from servicekit.errors import Unavailable
from servicekit.migration.command import migrate
from tests.fakes.gateway_ports import principal
from tests.fakes.ledger_access import LedgerAccess
from tests.faults.slow_proxy import SlowProxy
from tests.histories.quota_history import Operation, check, overdrawn, overlooked

CALLERS: Final = 4
"""Of each gateway, one call after the other."""

CALLS: Final = 60
"""Before a fault, in it, and after it."""

POLICY: Final = FailoverPolicy(poll=0.05, undecided_poll=0.02)
Fault = Callable[["Engines"], Awaitable[None]]


LOST_ATTEMPTS: Final = ContextVar[list[UsageRequest]]("lost attempts of the present call")


class RecordingStore:
    """A `QuotaStore` that records attempts whose responses were lost: the call is made again."""

    def __init__(self, store: FailoverLimiter) -> None:
        self._store = store
        self.refund = store.refund

    async def reserve(
        self, usage: UsageRequest, entitlements: Entitlements, seed: Seed | None = None
    ) -> Decision:
        try:
            return await self._store.reserve(usage, entitlements, seed)
        except AdmissionUnknown:
            LOST_ATTEMPTS.get().append(usage)
            raise


@dataclass
class Gateway:
    """One gateway's part in counting, and what its callers saw."""

    quota: Quota
    store: FailoverLimiter
    history: list[Operation] = field(default_factory=list[Operation])

    async def call(self, caller: Principal, cost: int = 1) -> Reservation | None:
        """One call, recorded."""
        began, admission = time.monotonic(), None
        attempts = LOST_ATTEMPTS.set([])
        try:
            admission = await self.quota.admit(caller, "sponsor.search", cost)
        except QuotaExceeded as error:
            found = Operation("refused", began, time.monotonic(), cost, error.state.remaining)
        except Unavailable:
            found = Operation("unknown", began, time.monotonic(), cost)
        else:
            outcome = "admitted" if cost else "read"
            left = admission.state.remaining
            found = Operation(outcome, began, time.monotonic(), cost, left)
        lost = LOST_ATTEMPTS.get()
        LOST_ATTEMPTS.reset(attempts)
        is_last = found.outcome == "unknown" and bool(lost)
        self.history.append(replace(found, lost=len(lost) - is_last))
        return admission

    async def refund(self, admission: Reservation) -> None:
        began = time.monotonic()
        await self.quota.refund(admission)
        self.history.append(Operation("refunded", began, time.monotonic(), admission.usage.cost))


@dataclass
class Engines:
    """The parts that faults happen to."""

    server: Server
    ways: list[SlowProxy]
    gateways: list[Gateway]
    access: LedgerAccess

    async def kill(self) -> None:
        assert self.server.process is not None
        self.server.process.kill()
        await asyncio.to_thread(self.server.process.wait)

    async def start(self) -> None:
        await asyncio.to_thread(self.server.start)

    async def wait_for_calls(self, calls: int) -> None:
        """Waits until so many further calls have ended."""
        until = self.calls + calls
        async with asyncio.timeout(60):
            while self.calls < until:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    @property
    def calls(self) -> int:
        return sum(len(gateway.history) for gateway in self.gateways)

    async def counting_by(self, *, ledger: bool) -> None:
        """Waits until every gateway counts so."""
        async with asyncio.timeout(20):
            while any(  # noqa: ASYNC110
                gateway.store.is_failed_over != ledger or not gateway.store.is_counting
                for gateway in self.gateways
            ):
                await asyncio.sleep(0.01)


@pytest.fixture
def auth(fresh_database: Callable[[], str]) -> AuthSettings:
    url = fresh_database()
    migrate(url, MIGRATIONS)
    return AuthSettings.model_construct(database_url=url)


@asynccontextmanager
async def engines(auth: AuthSettings, folder: Path, gateways: int) -> AsyncGenerator[Engines]:
    """Engines, and gateways that have begun to count."""
    async with AsyncExitStack() as stack:
        server = Server(free_port(), "test", folder / "log", folder / "valkey")
        server.start()
        stack.callback(server.stop)
        engine = database.open_engine(auth, "test")
        stack.push_async_callback(engine.dispose)
        access = LedgerAccess(engine, lambda: datetime.now(UTC))
        made = Engines(server, [], [], access)
        for number in range(gateways):
            way = SlowProxy(free_port(), f"127.0.0.1:{server.port}")
            made.ways.append(await stack.enter_async_context(way.listening()))
            url = server.url().replace(f":{server.port}", f":{way.port}")
            valkey = open_valkey(url, timeout=1)
            stack.push_async_callback(valkey.aclose)
            counters = ValkeyQuota(valkey)
            generations, name = ValkeyGenerationStore(valkey), f"gateway-{number}"
            store = FailoverLimiter(name, counters, generations, access, POLICY)
            counters.refunder, counters.on_unclaimed = store.refund, store.undo
            made.gateways.append(Gateway(Quota(RecordingStore(store), access), store))
            ledger = LedgerWriter(valkey, access, LedgerPace(wait_seconds=0.01))
            for loop in (store.run(), ledger.run()):
                await stack.enter_async_context(in_background(loop))
        await made.counting_by(ledger=False)
        yield made


async def recorded(
    made: Engines, caller: Principal, fault: Fault, *, refunds: bool = False
) -> list[Operation]:
    """The calls at all gateways from before the fault to after it, the month's end included."""
    ended = asyncio.Event()

    async def calling(gateway: Gateway, number: int) -> None:
        for turn in range(10_000):
            admission = await gateway.call(caller, cost=0 if turn % 7 == number else 1)
            if refunds and admission is not None and admission.usage.cost and turn % 3 == 0:
                await gateway.refund(admission)
            await asyncio.sleep(0.005)
            if ended.is_set():
                return

    callers = [calling(item, number) for item in made.gateways for number in range(CALLERS)]
    tasks = [asyncio.ensure_future(item) for item in callers]
    await made.wait_for_calls(CALLS)
    await fault(made)
    await made.wait_for_calls(CALLS)
    ended.set()
    await asyncio.gather(*tasks)
    return [item for gateway in made.gateways for item in gateway.history]


async def is_settled(made: Engines, history: Sequence[Operation], limit: int, account: str) -> None:
    """Once all is back, ledger and counters have every admitted call once."""
    sure = sum(item.cost for item in history if item.outcome == "admitted")
    sure -= sum(item.cost for item in history if item.outcome == "refunded")
    caller = principal(account_id=account, monthly_requests=limit, burst_requests=10_000)
    month = f"{datetime.now(UTC):%Y-%m}"
    found: object = None
    async with asyncio.timeout(20):
        while True:
            ledger = await made.access.used_in(account, month)
            reads = [await gateway.call(caller, cost=0) for gateway in made.gateways]
            left = [read.state.remaining if read else None for read in reads]
            found = (ledger, left)
            if found == (sure, [max(0, limit - sure)] * len(left)):
                return
            await asyncio.sleep(0.05)


async def nothing(_made: Engines) -> None:
    """No fault."""


async def valkey_is_killed(made: Engines) -> None:
    await made.kill()
    await made.counting_by(ledger=True)
    await made.wait_for_calls(CALLS)
    await made.start()
    await made.counting_by(ledger=False)


async def connections_are_cut(made: Engines) -> None:
    """Connections end with calls on them, whose responses are lost; new ones are accepted."""
    for _ in range(5):
        for way in made.ways:
            way.cut()
        await made.wait_for_calls(CALLS // 5)
    await made.counting_by(ledger=False)


async def the_way_is_gone(made: Engines) -> None:
    """One gateway's way to Valkey; another one still counts there."""
    await made.ways[0].vanish()
    store = made.gateways[0].store
    async with asyncio.timeout(20):
        while not (store.is_failed_over or store.is_cut_off):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await made.wait_for_calls(CALLS)
    await made.ways[0].appear()
    await made.counting_by(ledger=False)


@pytest.mark.parametrize("limit", [50, 100_000])
async def test_two_gateways_count_as_one(auth: AuthSettings, tmp_path: Path, limit: int) -> None:
    caller = principal(monthly_requests=limit, burst_requests=10_000)
    async with engines(auth, tmp_path, 2) as made:
        history = await recorded(made, caller, nothing, refunds=True)
        finding = check(history, limit)
        assert finding.is_linearizable, finding
        await is_settled(made, history, limit, "account-1")


@pytest.mark.parametrize("fault", [valkey_is_killed, connections_are_cut, the_way_is_gone])
@pytest.mark.parametrize("limit", [100, 100_000])
async def test_a_gateway_that_loses_valkey_counts_as_if_it_had_not(
    auth: AuthSettings, tmp_path: Path, fault: Fault, limit: int
) -> None:
    caller = principal(monthly_requests=limit, burst_requests=10_000)
    async with engines(auth, tmp_path, 1) as made:
        history = await recorded(made, caller, fault)
        finding = check(history, limit)
        assert finding.is_linearizable, finding
        await is_settled(made, history, limit, "account-1")


@pytest.mark.parametrize("fault", [valkey_is_killed, connections_are_cut, the_way_is_gone])
async def test_two_gateways_count_as_one_whichever_of_them_loses_valkey(
    auth: AuthSettings, tmp_path: Path, fault: Fault
) -> None:
    """ADR 19: one authority counts for all gateways, so no call is overlooked."""
    limit = 150
    caller = principal(monthly_requests=limit, burst_requests=10_000)
    async with engines(auth, tmp_path, 2) as made:
        history = await recorded(made, caller, fault)
        assert overlooked(history, limit) == 0
        assert overdrawn(history, limit) == 0
        await is_settled(made, history, limit, "account-1")
