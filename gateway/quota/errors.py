"""Calls that are not admitted."""

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
