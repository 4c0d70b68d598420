"""Counting by Valkey and by the ledger in turn, over random histories of faults.

Two gateways on a real Valkey, which is killed and comes back full or empty, and on the ledger in a
real Postgres. Whatever happened: once all is back, ledger and counters have every call that was
admitted and not refunded, once, and nothing else.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from redis.exceptions import RedisError

from auth_service import MIGRATIONS
from auth_service.settings import AuthSettings
from devstack.engines import Valkey as Server
from devstack.ports import free_port
from gateway.quota.errors import QuotaExceeded
from gateway.quota.failover import FailoverLimiter
from gateway.quota.limiter import Quota
from gateway.quota.models import Decision, Reservation
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.quota.valkey_generation import ValkeyGenerationStore
from gateway.quota.valkey_ledger_writer import LedgerPace, LedgerWriter
from gateway.storage.valkey import USAGE_STREAM
from gateway.storage.valkey_client import open_valkey
from servicekit import database
from servicekit.errors import ServiceError, Unavailable
from servicekit.migration.command import migrate
from tests.fakes.gateway_ports import principal
from tests.fakes.ledger_access import LedgerAccess

LIMIT = 12
CALLER = principal(monthly_requests=LIMIT, burst_requests=10_000)
PACE = LedgerPace(wait_seconds=0.001, takeover_seconds=0)
NUMBERS = st.integers(0, 1)


class Silent(ValkeyQuota):
    """Counters whose next responses are lost after they were sent."""

    lost = 0

    async def reserve(self, *arguments: Any, **options: Any) -> Decision:
        decision = await super().reserve(*arguments, **options)
        self._lose_one()
        return decision

    async def refund(self, admission: Reservation) -> bool:
        done = await super().refund(admission)
        self._lose_one()
        return done

    def _lose_one(self) -> None:
        if self.lost:
            self.lost -= 1
            raise Unavailable("The answer was lost.")


class Gateway:
    """One gateway's part in counting; it watches Valkey while it is called."""

    def __init__(
        self, name: str, url: str, access: LedgerAccess, clock: Callable[[], datetime]
    ) -> None:
        self.valkey: Any = open_valkey(url, timeout=5)
        self.counters = Silent(self.valkey, clock)
        generations = ValkeyGenerationStore(self.valkey)
        self.store = FailoverLimiter(name, self.counters, generations, access)
        self.peers: list[Gateway] = [self]
        self.quota = Quota(self.store, access)
        self.ledger = LedgerWriter(self.valkey, access, PACE)

    async def admit(self, cost: int = 1) -> Reservation:
        return await self._run_with_refreshes(self.quota.admit(CALLER, "sponsor.search", cost))

    async def refund(self, admission: Reservation) -> None:
        await self._run_with_refreshes(self.quota.refund(admission))

    async def carry(self) -> None:
        await self.ledger.open()
        while await self.valkey.xlen(USAGE_STREAM):
            await self.ledger.carry()

    async def _run_with_refreshes(self, operation: Any) -> Any:
        task = asyncio.ensure_future(operation)
        while not (await asyncio.wait([task], timeout=0.02))[0]:
            for gateway in tuple(self.peers):
                await gateway.store.refresh()
        return task.result()


class CountingHistory(RuleBasedStateMachine):
    """Calls, faults and returns; the model is the admissions that callers received."""

    server: Server
    engine_settings: AuthSettings
    folder: Path

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.now = datetime(2026, 11, 30, 12, tzinfo=UTC)
        self.engine = database.open_engine(self.engine_settings, "test")
        self.access = LedgerAccess(self.engine, lambda: self.now)
        self.runner.run(self._begin())
        self.is_up = True
        self.gateways: list[Gateway] = []
        for number in range(2):
            self.gateways.append(self._gateway(number))
        self.entitlements: list[Reservation] = []

    async def _begin(self) -> None:
        tables = "usage_entries, usage_daily"
        async with self.engine.begin() as connection:
            await connection.exec_driver_sql(f"TRUNCATE {tables}")
            await connection.exec_driver_sql(
                "UPDATE counter_state SET epoch = '', bypassed = false, counted_by = '', is_open = false"
            )
            await connection.exec_driver_sql("DELETE FROM gateway_leases")
        await self._flush()

    async def _flush(self) -> None:
        valkey: Any = open_valkey(self.server.url(), timeout=5)
        await valkey.flushall()
        await valkey.aclose()

    def _gateway(self, number: int) -> Gateway:
        name = f"gateway-{number}"
        gateway = Gateway(name, self.server.url(), self.access, lambda: self.now)
        gateway.peers = self.gateways
        self.runner.run(gateway.store.refresh())
        return gateway

    def teardown(self) -> None:
        self.settle()
        for gateway in self.gateways:
            self.runner.run(gateway.valkey.aclose())
        self.runner.run(self.engine.dispose())
        self.runner.close()

    def used(self) -> int:
        month = f"{self.now:%Y-%m}"
        return sum(
            entitlement.usage.cost
            for entitlement in self.entitlements
            if entitlement.month == month
        )

    @rule(number=NUMBERS)
    def admit(self, number: int) -> None:
        with suppress(QuotaExceeded, Unavailable):
            self.entitlements.append(self.runner.run(self.gateways[number].admit()))

    @rule(number=NUMBERS)
    def admit_and_lose_the_response(self, number: int) -> None:
        self.gateways[number].counters.lost = 1
        self.admit(number)
        self.gateways[number].counters.lost = 0

    @rule(number=NUMBERS)
    def lose_the_response_of_the_ledger(self, number: int) -> None:
        self.access.lost_responses = 1
        self.admit(number)
        self.access.lost_responses = 0

    @precondition(lambda self: self.entitlements)
    @rule(number=NUMBERS, is_lost=st.booleans(), data=st.data())
    def refund(self, number: int, data: st.DataObject, *, is_lost: bool) -> None:
        admission = data.draw(st.sampled_from(self.entitlements))
        self.entitlements.remove(admission)
        gateway = self.gateways[number]
        gateway.counters.lost = int(is_lost)
        self.runner.run(gateway.refund(admission))
        gateway.counters.lost = 0

    @precondition(lambda self: self.is_up)
    @rule(number=NUMBERS)
    def carry(self, number: int) -> None:
        self._try(self.gateways[number].carry())

    @rule(number=NUMBERS)
    def refresh(self, number: int) -> None:
        self.runner.run(self.gateways[number].store.refresh())

    @precondition(lambda self: self.is_up)
    @rule()
    def valkey_dies(self) -> None:
        assert self.server.process is not None
        self.server.process.kill()
        self.server.process.wait()
        self.is_up = False

    @precondition(lambda self: not self.is_up)
    @rule(is_empty=st.booleans())
    def valkey_returns(self, *, is_empty: bool) -> None:
        if is_empty:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.server.start()
        self.is_up = True

    @precondition(lambda self: self.is_up)
    @rule()
    def valkey_forgets(self) -> None:
        """Without anybody's connection breaking."""
        self.runner.run(self._flush())

    @rule(number=NUMBERS, steps=st.integers(0, 60))
    def gateway_dies(self, number: int, steps: int) -> None:
        """In the middle of whatever it does about Valkey, once nobody else's memory depends on it."""
        gateway = self.gateways[number]
        self.access.is_away = False
        if self.is_up:
            self._try(gateway.carry())
        self.runner.run(gateway.store.refresh())
        if not self.is_up:
            self.runner.run(self._die(gateway, steps))
        else:
            self._try(gateway.carry())
            self.runner.run(self._die(gateway, steps))
        self.gateways[number] = self._gateway(number)

    async def _die(self, gateway: Gateway, steps: int) -> None:
        refreshing = asyncio.ensure_future(gateway.store.refresh())
        for _ in range(steps):
            await asyncio.sleep(0)
        refreshing.cancel()
        await asyncio.wait([refreshing])
        await gateway.valkey.aclose()

    @rule()
    def the_ledger_goes(self) -> None:
        self.access.is_away = True

    @rule()
    def the_ledger_returns(self) -> None:
        self.access.is_away = False

    @rule()
    def the_month_turns(self) -> None:
        self.now += timedelta(days=20)

    @rule()
    def settle(self) -> None:
        """All is back: everything has every call, and the last one that fits is admitted."""
        self.access.is_away = False
        if not self.is_up:
            self.valkey_returns(is_empty=False)
        self.runner.run(self._settled())
        month = f"{self.now:%Y-%m}"
        assert self.runner.run(self.access.used_in("account-1", month)) == self.used()
        for gateway in self.gateways:
            left = self.runner.run(gateway.admit(cost=0)).state.remaining
            assert left == max(0, LIMIT - self.used())
        self._no_more_than_fits()

    @rule()
    def both_by_the_ledger(self) -> None:
        """Valkey is away for both: no more than fits is admitted."""
        self.settle()
        self.valkey_dies()
        for gateway in self.gateways * 2:
            self.runner.run(gateway.store.refresh())
        self._no_more_than_fits()

    def _no_more_than_fits(self) -> None:
        room = max(0, LIMIT - self.used())

        async def at_once() -> list[Any]:
            calls = [self.gateways[n % 2].admit() for n in range(room + 2)]
            return await asyncio.gather(*calls, return_exceptions=True)

        found = self.runner.run(at_once())
        admitted = [item for item in found if isinstance(item, Reservation)]
        assert len(admitted) == room
        assert all(isinstance(item, Reservation | QuotaExceeded) for item in found), found
        self.entitlements += admitted
        # Room for what follows.
        for admission in admitted[: len(admitted) // 2 + 1]:
            self.entitlements.remove(admission)
            self.runner.run(self.gateways[0].refund(admission))

    async def _settled(self) -> None:
        for _ in range(4):
            for gateway in self.gateways:
                await gateway.store.refresh()
                await gateway.carry()

    def _try(self, doing: Any) -> None:
        with suppress(ServiceError, OSError, RedisError):
            self.runner.run(doing)


@pytest.fixture
def auth(fresh_database: Callable[[], str]) -> AuthSettings:
    made: Any = AuthSettings
    found = made(
        database_url=fresh_database(),
        operator_token="operators-only",
        token_secret="a secret of tests, long enough to be taken",
    )
    migrate(found.database_url, MIGRATIONS)
    return found


@pytest.mark.timeout(400)  # thirty histories, each with engines that come and go
def test_nothing_is_lost_or_counted_twice_whatever_breaks(
    auth: AuthSettings, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    server = Server(free_port(), "test", tmp_path / "log", folder)
    server.start()
    facts = {"server": server, "engine_settings": auth, "folder": folder}
    try:
        run_state_machine_as_test(
            type("Machine", (CountingHistory,), facts),
            settings=settings(
                max_examples=30,
                derandomize=True,
                phases=[Phase.explicit, Phase.generate],
                stateful_step_count=25,
                deadline=None,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            ),
        )
    finally:
        server.stop()
