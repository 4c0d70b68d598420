"""The errors that services return to each other and to their callers.

A `ServiceError` carries a message fit for the caller and a reason fit for a program. It knows
nothing of transports: `servicekit.grpc.errors` carries it between processes, `gateway.mcp` renders it.
"""

from collections.abc import Mapping
from typing import ClassVar


class ServiceError(Exception):
    """An expected failure.

    Args:
        public_message: A sentence for the caller, naming what to do.
        reason: UPPER_SNAKE_CASE, stable, for programs.
        retry_after: Seconds after which the same call may succeed.
        details: Further machine-readable facts, such as the field at fault.
    """

    default_reason: ClassVar[str] = "INTERNAL"

    def __init__(
        self,
        public_message: str,
        reason: str | None = None,
        *,
        retry_after: float | None = None,
        details: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(public_message)
        self.public_message = public_message
        self.reason = reason or self.default_reason
        self.retry_after = retry_after
        self.details = dict(details or {})


class InvalidInput(ServiceError):  # noqa: N818 - named for what the caller did
    """The call itself is wrong; the same call will always fail."""

    default_reason = "INVALID_INPUT"


class NotFound(ServiceError):  # noqa: N818
    """The call names something that does not exist."""

    default_reason = "NOT_FOUND"


class Conflict(ServiceError):  # noqa: N818
    """The call is well formed but the present state forbids it."""

    default_reason = "CONFLICT"


class Unauthenticated(ServiceError):  # noqa: N818
    """No credential, or one that does not hold."""

    default_reason = "UNAUTHENTICATED"


class PermissionDenied(ServiceError):  # noqa: N818
    """The credential holds but does not reach this."""

    default_reason = "PERMISSION_DENIED"


class ResourceExhausted(ServiceError):  # noqa: N818
    """A limit is used up; `retry_after` says until when."""

    default_reason = "RESOURCE_EXHAUSTED"


class Unavailable(ServiceError):  # noqa: N818
    """A part that the call needs does not answer now."""

    default_reason = "UNAVAILABLE"


class NoResponse(Unavailable):
    """A part did not respond in time or was not reached: whether it did what was requested is not known."""


class DeadlineExceeded(NoResponse):
    """A part did not respond in time: it works on the request for longer, or hangs."""


class Internal(ServiceError):  # noqa: N818
    """Something unexpected, logged once under the id in the message."""

    default_reason = "INTERNAL"
