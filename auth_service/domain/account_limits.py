"""Limits of one account, which an operator sets in place of those of its plan, until a date or without end."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from auth_service.domain.plans import Plan
from servicekit.errors import InvalidInput

MAX_REQUESTS: Final = 1_000_000_000
_MAX_BURST: Final = 1_000_000
_MAX_STREAMS: Final = 1_000
_MAX_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class AccountLimits:
    """Limits of one account; None stands for the limit of its plan.

    Attributes:
        reason: Shown to the account.
        monthly_requests: Requests that a month (UTC) includes.
        burst_requests: Size of the burst bucket.
        burst_refill_per_second: Requests a second that flow back into the bucket.
        concurrent_streams: Of subscriptions at one gateway.
        expires_at: When the plan's limits are back; None for never.
    """

    reason: str
    monthly_requests: int | None = None
    burst_requests: int | None = None
    burst_refill_per_second: float | None = None
    concurrent_streams: int | None = None
    expires_at: datetime | None = None

    @property
    def values(self) -> Mapping[str, int | float]:
        """The limits that differ from the plan's, by the names that a plan has for them."""
        values = {
            "monthly_requests": self.monthly_requests,
            "burst_requests": self.burst_requests,
            "burst_refill_per_second": self.burst_refill_per_second,
            "concurrent_streams": self.concurrent_streams,
        }
        return {name: value for name, value in values.items() if value is not None}

    def are_in_force(self, now: datetime) -> bool:
        """Return whether they have not expired."""
        return self.expires_at is None or now < self.expires_at

    def check(self, now: datetime) -> None:
        """Refuse limits that change nothing, or that no gateway can hold.

        Raises:
            InvalidInput: None is given, one is out of range, they have expired, or have no reason.
        """
        if not self.values:
            raise InvalidInput("Give at least one limit.", details={"field": "limits"})
        for name, (least, largest) in _RANGES.items():
            value = self.values.get(name, largest)
            if not (math.isfinite(value) and least <= value <= largest):
                raise InvalidInput(
                    f"{name} is {least:,} to {largest:,}.", details={"field": f"limits.{name}"}
                )
        if not self.are_in_force(now):
            raise InvalidInput(
                f"These limits would have ended at {self.expires_at:%Y-%m-%d %H:%M} UTC.",
                details={"field": "limits.expires_at"},
            )
        if not 0 < len(self.reason) <= _MAX_REASON or not self.reason.isprintable():
            raise InvalidInput(
                f"A reason is one line of 1 to {_MAX_REASON} characters; the account sees it.",
                details={"field": "limits.reason"},
            )


_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "monthly_requests": (0, MAX_REQUESTS),
    "burst_requests": (1, _MAX_BURST),
    "burst_refill_per_second": (0.01, _MAX_BURST),
    "concurrent_streams": (1, _MAX_STREAMS),
}


class LimitedAccount(Protocol):
    """An account with the id of its plan and limits of its own, if any."""

    @property
    def plan_id(self) -> str: ...

    @property
    def limits(self) -> AccountLimits | None: ...


def limits_of(account: LimitedAccount, now: datetime) -> AccountLimits | None:
    """Return an account's own limits while they hold."""
    limits = account.limits
    return limits if limits is not None and limits.are_in_force(now) else None


def plan_of(account: LimitedAccount, plans: Mapping[str, Plan], now: datetime) -> Plan:
    """Return an account's plan, with the limits of its own that hold now."""
    plan, limits = plans[account.plan_id], limits_of(account, now)
    return plan if limits is None else replace(plan, **limits.values)


def described(limits: AccountLimits) -> str:
    """Return limits in one line, for the audit log."""
    values = ", ".join(f"{name} {value:,}" for name, value in limits.values.items())
    until = "" if limits.expires_at is None else f" until {limits.expires_at:%Y-%m-%d %H:%M} UTC"
    return f"{values}{until}"
