"""Refresh token rotation with families, reuse detection and a grace period for parallel clients.

Every use replaces the token (RFC 9700 section 4.14.2). Several processes of one client often hold
the same token and use it at nearly the same time; within the grace period each gets its successor,
and the family continues. The grace ends early once the successor has been used: its client has it by
then. A thief who is as fast gets the successor too, and is detected when someone uses a replaced
token after its grace: that revokes the family. An expired token is refused without revoking anything.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum


class RefreshDecision(Enum):
    """The action for a presented refresh token."""

    ROTATE = "rotate"
    SAME_SUCCESSOR = "same_successor"  # within the grace: the family's newest token, unused
    EXPIRED = "expired"
    REVOKED = "revoked"
    REUSED = "reused"  # revoke the family


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """The state of a refresh token.

    `used_at` is when it was replaced, and `successor_used` says whether that replacement was replaced, too.
    """

    expires_at: datetime
    family_expires_at: datetime
    used_at: datetime | None = None
    revoked_at: datetime | None = None
    successor_used: bool = False


def decide(token: RefreshToken, now: datetime, grace: timedelta) -> RefreshDecision:
    """Decide what to do with a presented token at the moment `now`."""
    if token.revoked_at is not None:
        return RefreshDecision.REVOKED
    if now >= min(token.expires_at, token.family_expires_at):
        return RefreshDecision.EXPIRED
    if token.used_at is None:
        return RefreshDecision.ROTATE
    if token.successor_used or now - token.used_at > grace:
        return RefreshDecision.REUSED
    return RefreshDecision.SAME_SUCCESSOR
