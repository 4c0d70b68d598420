"""The rules for limits of an account's own."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auth_service.domain.account_limits import AccountLimits, described, limits_of, plan_of
from auth_service.domain.accounts import Account
from auth_service.domain.plans import DEFAULT_PLANS
from servicekit.errors import InvalidInput

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
PLANS = {plan.plan_id: plan for plan in DEFAULT_PLANS}


def account(limits: AccountLimits | None, plan: str = "creator") -> Account:
    return Account("acc_1", "ada@example.com", plan, NOW, limits=limits)


def test_a_plan_has_the_limits_of_the_account_and_else_its_own() -> None:
    limited = plan_of(account(AccountLimits("x", monthly_requests=5)), PLANS, NOW)
    plan = PLANS["creator"]
    assert (limited.monthly_requests, limited.burst_requests) == (5, plan.burst_requests)
    assert (limited.name, limited.scopes) == (plan.name, plan.scopes)


@pytest.mark.parametrize("limits", [None, AccountLimits("x", 5, expires_at=NOW)])
def test_without_limits_that_hold_the_plan_is_as_it_is(limits: AccountLimits | None) -> None:
    assert plan_of(account(limits), PLANS, NOW) == PLANS["creator"]
    assert limits_of(account(limits), NOW) is None


def test_limits_hold_until_the_moment_at_which_they_expire() -> None:
    limits = AccountLimits("x", 5, expires_at=NOW)
    assert limits_of(account(limits), NOW - timedelta(microseconds=1)) == limits


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"monthly_requests": -1},
        {"monthly_requests": 10**10},
        {"burst_requests": 0},
        {"burst_refill_per_second": float("nan")},
        {"burst_refill_per_second": float("inf")},
        {"burst_refill_per_second": 0.0},
        {"concurrent_streams": 0},
        {"monthly_requests": 1, "expires_at": NOW},
        {"monthly_requests": 1, "reason": ""},
        {"monthly_requests": 1, "reason": "two\nlines"},
        {"monthly_requests": 1, "reason": "x" * 201},
    ],
)
def test_limits_that_no_gateway_can_hold_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        replace(AccountLimits("x"), **limits).check(NOW)


def test_no_requests_at_all_are_a_limit() -> None:
    AccountLimits("x", monthly_requests=0).check(NOW)


def test_limits_are_one_line_of_the_log() -> None:
    limits = AccountLimits("x", 5_000, burst_refill_per_second=2.5, expires_at=NOW)
    assert described(limits) == (
        "monthly_requests 5,000, burst_refill_per_second 2.5 until 2026-11-23 09:00 UTC"
    )
