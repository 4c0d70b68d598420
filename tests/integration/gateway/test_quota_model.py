"""The quota scripts against a plain model of them, over random histories at several gateways."""

import asyncio
import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from gateway.authentication.principal import Entitlements
from gateway.quota.models import Decision, Reservation, Seed, UsageRequest
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.storage.valkey import USAGE_STREAM
from gateway.storage.valkey_client import open_valkey
from servicekit.valkey_keys import SINGLE
from tests.fakes.gateway_ports import entitlements
from tests.integration.gateway.conftest import Valkey

GATEWAYS = 2
PLANS = {
    # Refills that binary fractions have exactly, and so slow that no bucket expires meanwhile.
    "small": entitlements(monthly_requests=4, burst_requests=3, burst_refill_per_second=0.125),
    "usual": entitlements(monthly_requests=8, burst_requests=3, burst_refill_per_second=0.25),
    "large": entitlements(monthly_requests=30, burst_requests=7, burst_refill_per_second=0.25),
}


class QuotaHistory(RuleBasedStateMachine):
    """Reserves, refunds, waits, changes plans and loses counters; every decision must be foreseen."""

    valkey_url: str

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.connections: list[Valkey] = [
            open_valkey(self.valkey_url, timeout=5) for _ in range(GATEWAYS)
        ]
        self.valkey = self.connections[0]
        self.runner.run(self.valkey.flushall())
        self.now = datetime(2026, 11, 30, 23, 59, 0, tzinfo=UTC)
        self.gateways = [
            ValkeyQuota(connection, lambda: self.now) for connection in self.connections
        ]
        self.plan = PLANS["usual"]
        self.ledger: dict[str, int] = {}
        self.counters: set[str] = set()
        self.bucket: tuple[float, datetime] | None = None
        self.admitted: list[Reservation] = []
        self.count = 0

    def teardown(self) -> None:
        self._the_ledger_agrees()
        for connection in self.connections:
            self.runner.run(connection.aclose())
        self.runner.close()

    @rule(cost=st.sampled_from([0, 1, 1, 1]), gateway=st.integers(0, GATEWAYS - 1))
    def reserve(self, cost: int, gateway: int) -> None:
        usage = self._usage(cost)
        if self.month not in self.counters:
            decision = self.runner.run(self.gateways[gateway].reserve(usage, self.plan))
            assert decision.outcome == "unseeded"
        reserving = self.gateways[gateway].reserve(usage, self.plan, Seed(self.used))
        decision = self.runner.run(reserving)
        self.counters.add(self.month)
        tokens = self._tokens()
        if cost and self.used + cost > self.plan.monthly_requests:
            assert decision.outcome == "quota_exceeded"
        elif tokens < 1:
            assert decision.outcome == "rate_limited"
            wait = (1 - tokens) / self.plan.burst_refill_per_second
            assert decision.wait_seconds == pytest.approx(wait, abs=0.001)
        else:
            assert decision.outcome == "admitted"
            self._admit(usage, decision)
        assert decision.state is not None
        assert decision.state.limit == self.plan.monthly_requests
        assert decision.state.remaining == max(0, self.plan.monthly_requests - self.used)

    @rule(calls=st.integers(2, 9))
    def reserve_at_once(self, calls: int) -> None:
        """Both gateways race, for the seed of a month without a counter too."""
        seed, usages = self.used, [self._usage(1) for _ in range(calls)]

        async def admit(usage: UsageRequest, number: int) -> Decision:
            gateway = self.gateways[number % GATEWAYS]
            decision = await gateway.reserve(usage, self.plan)
            if decision.outcome == "unseeded":
                decision = await gateway.reserve(usage, self.plan, Seed(seed))
            return decision

        async def race() -> list[Decision]:
            return await asyncio.gather(*(admit(usage, n) for n, usage in enumerate(usages)))

        decisions = self.runner.run(race())
        self.counters.add(self.month)
        left = max(0, self.plan.monthly_requests - seed)
        admitted = min(calls, left, math.floor(self._tokens()))
        refused = "quota_exceeded" if admitted == left else "rate_limited"
        expected = Counter({"admitted": admitted, refused: calls - admitted})
        assert Counter(item.outcome for item in decisions) == +expected
        for usage, decision in zip(usages, decisions, strict=True):
            if decision.outcome == "admitted":
                self._admit(usage, decision)
        remaining = [
            item.state.remaining for item in decisions if item.outcome == "admitted" and item.state
        ]
        assert sorted(remaining, reverse=True) == [left - 1 - n for n in range(admitted)]

    @precondition(lambda self: any(item.usage.cost for item in self.admitted))
    @rule(data=st.data(), gateway=st.integers(0, GATEWAYS - 1))
    def refund(self, data: st.DataObject, gateway: int) -> None:
        counted = [item for item in self.admitted if item.usage.cost]
        admission = data.draw(st.sampled_from(counted))
        self.admitted.remove(admission)
        self.runner.run(self.gateways[gateway].refund(admission))
        self.ledger[admission.month] -= admission.usage.cost

    @rule(name=st.sampled_from(sorted(PLANS)))
    def change_the_plan(self, name: str) -> None:
        self.plan: Entitlements = PLANS[name]

    @rule(seconds=st.sampled_from([1, 2, 4, 30, 86400, 20 * 86400]))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule()
    def lose_the_counter(self) -> None:
        self.runner.run(self.valkey.delete(SINGLE.shards[0].counter("account-1", self.month)))
        self.counters.discard(self.month)

    @property
    def month(self) -> str:
        return f"{self.now:%Y-%m}"

    @property
    def used(self) -> int:
        return self.ledger.get(self.month, 0)

    def _usage(self, cost: int) -> UsageRequest:
        self.count += 1
        return UsageRequest(f"e{self.count}", "account-1", "key-1", "sponsor.search", cost)

    def _tokens(self) -> float:
        """The tokens in the bucket now, by the present plan."""
        if self.bucket is None:
            return self.plan.burst_requests
        tokens, at = self.bucket
        grown = (self.now - at).total_seconds() * self.plan.burst_refill_per_second
        return min(self.plan.burst_requests, tokens + grown)

    def _admit(self, usage: UsageRequest, decision: Decision) -> None:
        self.bucket = (self._tokens() - 1, self.now)
        self.ledger[self.month] = self.used + usage.cost
        assert decision.state is not None
        self.admitted.append(Reservation(usage, self.month, decision.at, decision.state))

    def _the_ledger_agrees(self) -> None:
        in_ledger: dict[str, int] = {}
        entries: list[Any] = self.runner.run(self.valkey.xrange(USAGE_STREAM))
        for _, fields in entries:
            seconds = int(fields[b"admitted_at"]) / 1_000_000
            month = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m}"
            in_ledger[month] = in_ledger.get(month, 0) + int(fields[b"cost"])
        expected = {month: used for month, used in self.ledger.items() if used}
        assert {month: used for month, used in in_ledger.items() if used} == expected


def test_the_scripts_do_what_the_model_says(fresh_valkey: str) -> None:
    machine = type("Machine", (QuotaHistory,), {"valkey_url": fresh_valkey})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=80,
            stateful_step_count=30,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
