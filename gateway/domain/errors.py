"""The refusals that the gateway itself decides on."""

from typing import ClassVar

from gateway.quota.models import QuotaState
from servicekit.errors import Conflict, InvalidInput, PermissionDenied, ResourceExhausted


class InvalidArguments(InvalidInput):
    """A tool's arguments break its published schema."""

    default_reason: ClassVar[str] = "INVALID_ARGUMENTS"


class QuotaRefusal(ResourceExhausted):
    """A call that was not admitted; `state` is what is left of the account's month."""

    def __init__(self, public_message: str, *, state: QuotaState, retry_after: float) -> None:
        super().__init__(public_message, retry_after=retry_after)
        self.state = state


class QuotaExceeded(QuotaRefusal):
    """The account's requests of this month are used up."""

    default_reason: ClassVar[str] = "QUOTA_EXCEEDED"


class RateLimited(QuotaRefusal):
    """Too many calls at once; the bucket has room again after `retry_after` seconds."""

    default_reason: ClassVar[str] = "RATE_LIMITED"


class PlanRequired(PermissionDenied):
    """The account's plan does not include the tool."""

    default_reason: ClassVar[str] = "PLAN_REQUIRED"


class InsufficientScope(PermissionDenied):
    """The credential lacks a scope that the tool needs.

    Attributes:
        needed: Every scope that the call needs, space-separated.
    """

    default_reason: ClassVar[str] = "INSUFFICIENT_SCOPE"

    def __init__(self, public_message: str, *, needed: str) -> None:
        super().__init__(public_message)
        self.needed = needed


class ElicitationUnavailable(Conflict):
    """The caller's program takes no question of this kind, or does not answer the one it got."""

    default_reason: ClassVar[str] = "CANNOT_ASK"

    def __init__(self, kind: str, public_message: str | None = None) -> None:
        super().__init__(
            public_message
            or f"This call has to ask back, and the client has not declared the capability {kind}. "
            "Use a client that has, or leave nothing open in the arguments."
        )
        self.kind = kind


class Declined(Conflict):
    """The person who was asked said no, or closed the question."""

    default_reason: ClassVar[str] = "DECLINED"
