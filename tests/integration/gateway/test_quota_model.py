"""The quota script against a plain model of it, over random histories."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from gateway.domain.usage import Admission, Charge, Seed
from gateway.storage.quota import ValkeyQuota
from gateway.storage.valkey import USAGE_STREAM, counter_key, open_valkey
from tests.fakes.gateway_ports import standing
from tests.integration.gateway.conftest import Valkey

LIMIT, BUCKET, REFILL = 8, 3, 0.5
LIMITS = standing(monthly_requests=LIMIT, burst_requests=BUCKET, burst_refill_per_second=REFILL)


class QuotaHistory(RuleBasedStateMachine):
    """Takes, gives back, waits and loses counters; the model must foresee every verdict."""

    valkey_url: str

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.valkey: Valkey = open_valkey(self.valkey_url, timeout=5)
        self.runner.run(self.valkey.flushall())
        self.now = datetime(2026, 11, 30, 23, 59, 0, tzinfo=UTC)
        self.quota = ValkeyQuota(self.valkey, lambda: self.now)
        self.ledger: dict[str, int] = {}
        self.counters: set[str] = set()
        self.tokens = float(BUCKET)
        self.admitted: list[Admission] = []
        self.count = 0

    def teardown(self) -> None:
        self._the_ledger_agrees()
        self.runner.run(self.valkey.aclose())
        self.runner.close()

    @rule(cost=st.sampled_from([0, 1, 1, 1]))
    def take(self, cost: int) -> None:
        month = f"{self.now:%Y-%m}"
        self.count += 1
        charge = Charge(f"e{self.count}", "account-1", "key-1", "sponsor.search", cost)
        if month not in self.counters:
            verdict = self.runner.run(self.quota.take(charge, LIMITS))
            assert verdict.outcome == "unseeded"
        seed = self.ledger.get(month, 0)
        verdict = self.runner.run(self.quota.take(charge, LIMITS, Seed(seed)))
        self.counters.add(month)
        used = self.ledger.get(month, 0)
        if cost and used + cost > LIMIT:
            assert verdict.outcome == "quota_exceeded"
        elif self.tokens < 1:
            assert verdict.outcome == "rate_limited"
            assert verdict.wait_seconds == pytest.approx((1 - self.tokens) / REFILL, abs=0.001)
        else:
            assert verdict.outcome == "admitted"
            self.tokens -= 1
            self.ledger[month] = used + cost
            assert verdict.state is not None
            self.admitted.append(Admission(charge, month, verdict.at, verdict.state))
        assert verdict.state is not None
        assert verdict.state.remaining == LIMIT - self.ledger.get(month, 0)

    @precondition(lambda self: any(one.charge.cost for one in self.admitted))
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        counted = [one for one in self.admitted if one.charge.cost]
        admission = data.draw(st.sampled_from(counted))
        self.admitted.remove(admission)
        self.runner.run(self.quota.give_back(admission))
        self.ledger[admission.month] -= admission.charge.cost

    @rule(seconds=st.sampled_from([1, 2, 4, 30, 86400, 20 * 86400]))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        self.tokens = min(BUCKET, self.tokens + seconds * REFILL)

    @rule()
    def lose_the_counter(self) -> None:
        month = f"{self.now:%Y-%m}"
        self.runner.run(self.valkey.delete(counter_key("account-1", month)))
        self.counters.discard(month)

    def _the_ledger_agrees(self) -> None:
        told: dict[str, int] = {}
        entries: list[Any] = self.runner.run(self.valkey.xrange(USAGE_STREAM))
        for _, fields in entries:
            seconds = int(fields[b"admitted_at"]) / 1_000_000
            month = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m}"
            told[month] = told.get(month, 0) + int(fields[b"cost"])
        expected = {month: used for month, used in self.ledger.items() if used}
        assert {month: used for month, used in told.items() if used} == expected


def test_the_script_does_what_the_model_says(fresh_valkey: str) -> None:
    machine = type("Machine", (QuotaHistory,), {"valkey_url": fresh_valkey})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=40,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
