"""Refresh tokens: rotation, families, reuse and the grace for parallel clients.

Every use replaces the token (RFC 9700 section 4.14.2). Several processes of one client often hold
the same token and use it at nearly the same moment; within the grace each gets the family's newest
token, and they go on in one family. A thief who is as quick gets it, too, and is found when one of
them uses a token that another has replaced and whose grace is over: that ends the family. A token
that has expired is refused and ends nothing.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum


class RefreshDecision(Enum):
    """What to do with a presented refresh token."""

    ROTATE = "rotate"
    SAME_SUCCESSOR = "same_successor"  # within the grace: the family's newest token
    EXPIRED = "expired"
    REVOKED = "revoked"
    REUSED = "reused"  # revoke the family


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A stored refresh token; `used_at` is when it was replaced."""

    expires_at: datetime
    family_expires_at: datetime
    used_at: datetime | None = None
    revoked_at: datetime | None = None


def judge(token: RefreshToken, now: datetime, grace: timedelta) -> RefreshDecision:
    """What a presented token deserves at the moment `now`."""
    if token.revoked_at is not None:
        return RefreshDecision.REVOKED
    if now >= min(token.expires_at, token.family_expires_at):
        return RefreshDecision.EXPIRED
    if token.used_at is None:
        return RefreshDecision.ROTATE
    return (
        RefreshDecision.SAME_SUCCESSOR if now - token.used_at <= grace else RefreshDecision.REUSED
    )
