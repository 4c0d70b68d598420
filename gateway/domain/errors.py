"""The refusals that the gateway itself decides on."""

from typing import ClassVar

from servicekit.errors import Conflict, InvalidInput, PermissionDenied


class InvalidArguments(InvalidInput):
    """A tool's arguments break its published schema."""

    default_reason: ClassVar[str] = "INVALID_ARGUMENTS"


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
    """The caller's client takes no request for input of this kind, or did not reply to it."""

    default_reason: ClassVar[str] = "CANNOT_ASK"

    def __init__(self, kind: str, public_message: str | None = None) -> None:
        super().__init__(
            public_message
            or f"This call has to ask back, and the client has not declared the capability {kind}. "
            "Use a client that has, or leave nothing open in the arguments."
        )
        self.kind = kind


class Declined(Conflict):
    """The user declined the request for input, or closed it."""

    default_reason: ClassVar[str] = "DECLINED"
