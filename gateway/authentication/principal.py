"""The caller of a request: the credential, the account, and what the account's plan allows."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from servicekit.errors import Unauthenticated


@dataclass(frozen=True, slots=True)
class Entitlements:
    """An account's present plan and limits.

    Attributes:
        account_id: The account that requests are counted for.
        plan: Stable id of the plan, such as "creator".
        plan_name: The plan's name for people.
        monthly_requests: Requests that a month (UTC) includes.
        burst_requests: Size of the burst bucket, in requests.
        burst_refill_per_second: Requests a second that flow back into the bucket.
        features: What the plan unlocks, such as "channel_import".
        disabled: Whether an operator has stopped the account.
        concurrent_imports: Channel imports that may be under way at once.
        concurrent_streams: Streams of subscriptions at one gateway; 0 for the gateway's own limit.
        followed_channels: Channels that may be followed.
        own_monthly_requests: Whether an operator has set `monthly_requests` in the plan's place.
    """

    account_id: str
    plan: str
    plan_name: str
    monthly_requests: int
    burst_requests: int
    burst_refill_per_second: float
    features: tuple[str, ...]
    disabled: bool
    concurrent_imports: int = 0
    concurrent_streams: int = 0
    own_monthly_requests: bool = False
    followed_channels: int = 0


@dataclass(frozen=True, slots=True)
class Principal:
    """A verified caller: the credential, its scopes, and the account's entitlements."""

    credential_id: str
    scopes: tuple[str, ...]
    entitlements: Entitlements
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class BoundPrincipal(Principal):
    """A caller whose token works with a proof of its key alone (RFC 9449).

    Attributes:
        thumbprint: Of the key (RFC 7638).
    """

    thumbprint: str


@dataclass(frozen=True, slots=True)
class IncludedPrincipal(Principal):
    """A caller whose call is part of a page of the site, for which another call is counted.

    The auth service says so in the token: nobody else can sign one.
    """


_SITE: Final = "site:"
"""Begins the credentials that the auth service gives its own pages."""


def is_of_site(principal: Principal) -> bool:
    """Return whether a page of the site calls for its reader."""
    return principal.credential_id.startswith(_SITE)


@dataclass(frozen=True, slots=True)
class EntitlementsChange:
    """A push that what is known of an account or of one of its credentials no longer holds.

    Attributes:
        account_id: The account.
        credential_id: The key or grant concerned; all of the account's if None.
    """

    account_id: str
    credential_id: str | None = None

    def concerns(self, outcome: Principal | Unauthenticated) -> bool:
        """Return whether a cached outcome must go; refusals always, as they do not name their account."""
        if isinstance(outcome, Unauthenticated):
            return True
        if outcome.entitlements.account_id != self.account_id:
            return False
        return self.credential_id is None or self.credential_id == outcome.credential_id
