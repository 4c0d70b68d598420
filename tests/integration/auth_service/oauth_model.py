"""A plain model of codes and tokens, to compare the authorization server with.

Times are those of the server's injected clock. Lifetimes are constants of the model, not read from
the server's policy, so that an accidental change is detected.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import httpx2

from tests.clients.oauth import OAuthClient

PAGE: Final = timedelta(minutes=15)
CODE: Final = timedelta(seconds=60)
ACCESS: Final = timedelta(hours=1)
REFRESH: Final = timedelta(days=60)
GRANT: Final = timedelta(days=180)
GRACE: Final = timedelta(seconds=30)


@dataclass(slots=True, eq=False)
class Refresh:
    """One generation of a family's refresh token."""

    text: str
    expires_at: datetime
    used_at: datetime | None = None


@dataclass(slots=True, eq=False)
class Access:
    """An access token."""

    text: str
    expires_at: datetime


@dataclass(slots=True, eq=False)
class Family:
    """A connection of a client: all tokens from one code. Its last refresh token is unused."""

    client: OAuthClient
    ends_at: datetime
    ended: bool = False
    refreshes: list[Refresh] = field(default_factory=list[Refresh])
    accesses: list[Access] = field(default_factory=list[Access])

    def lives(self, now: datetime) -> bool:
        return not self.ended and now < self.ends_at

    def receive(self, now: datetime, access: str, refresh: str) -> None:
        """Add the tokens of a token response."""
        self.accesses.append(Access(access, now + ACCESS))
        if refresh not in {item.text for item in self.refreshes}:
            self.refreshes.append(Refresh(refresh, min(now + REFRESH, self.ends_at)))

    def may_refresh(self, token: Refresh, now: datetime) -> bool:
        """Return whether the token can be refreshed.

        Reuse after the grace period, or after a use of the successor, ends the family.
        """
        if not self.lives(now) or now >= token.expires_at:
            return False
        if token.used_at is None:
            token.used_at = now
            return True
        successor_used = self.refreshes.index(token) < len(self.refreshes) - 2
        if successor_used or now - token.used_at > GRACE:
            self.ended = True
        return not self.ended


@dataclass(slots=True, eq=False)
class Code:
    """A code and the token family that it was redeemed for."""

    client: OAuthClient
    text: str
    issued_at: datetime
    spent_at: datetime | None = None
    family: Family | None = None

    def may_redeem(self, now: datetime, *, rightful: bool) -> bool:
        """Return whether the code can be redeemed; the first try spends it, a foreign one revokes."""
        if self.spent_at is None:
            self.spent_at = now
            return rightful and now < self.issued_at + CODE
        if self.family is not None and not (rightful and now - self.spent_at <= GRACE):
            self.family.ended = True
        return False


@dataclass(slots=True, eq=False)
class Page:
    """An open consent page; `session` is the number of the login that it was shown to."""

    client: OAuthClient
    shown: httpx2.Response
    opened_at: datetime
    session: int
