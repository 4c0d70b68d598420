"""Calls that are not admitted."""

from datetime import UTC, datetime
from typing import ClassVar

from gateway.quota.models import QuotaState
from servicekit.errors import ResourceExhausted, Unavailable


class QuotaRefusal(ResourceExhausted):
    """A call that was not admitted; `state` is what is left of the account's month."""

    def __init__(self, public_message: str, *, state: QuotaState, retry_after: float) -> None:
        super().__init__(public_message, retry_after=retry_after)
        self.state = state


class QuotaExceeded(QuotaRefusal):
    """The account's requests of this month are used up; with `is_own_limit` another plan would not have more."""

    default_reason: ClassVar[str] = "QUOTA_EXCEEDED"

    def __init__(
        self,
        public_message: str,
        *,
        state: QuotaState,
        retry_after: float,
        is_own_limit: bool = False,
    ) -> None:
        super().__init__(public_message, state=state, retry_after=retry_after)
        self.is_own_limit = is_own_limit


class RateLimited(QuotaRefusal):
    """Too many calls at once; the bucket has room again after `retry_after` seconds."""

    default_reason: ClassVar[str] = "RATE_LIMITED"


class AdmissionUnknown(Unavailable):
    """The call may have been counted; it was undone, and may be made again under another id."""


class NotSent(Unavailable):
    """The call did not leave for the counter, so it was not counted."""


def month_used_up(
    state: QuotaState, now: datetime, cost: int = 1, *, is_own_limit: bool
) -> QuotaExceeded:
    """Return the error of a call for which too few requests of the month are left."""
    resets = state.resets_at.astimezone(UTC)
    whose = (
        "that the operator has set for this account" if is_own_limit else "of this account's plan"
    )
    used = (
        f"This call counts as {cost:,} requests, and {state.remaining:,} of the {state.limit:,} {whose} for {now:%B %Y} are left. "
        "Calls that count as fewer are answered."
        if 0 < state.remaining < cost
        else f"All {state.limit:,} requests {whose} for {now:%B %Y} are used. "
        "Until they are renewed only calls that count as none are answered."
    )
    text = f"{used} They are renewed on {resets:%Y-%m-%d} at 00:00 UTC."
    return QuotaExceeded(
        f"{text} Ask the operator of this server for more." if is_own_limit else text,
        state=state,
        retry_after=max(1.0, (resets - now).total_seconds()),
        is_own_limit=is_own_limit,
    )
