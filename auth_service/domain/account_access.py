"""The connections of applications to an account, and their storage."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from servicekit.errors import NotFound


class GrantNotFound(NotFound):
    default_reason = "GRANT_NOT_FOUND"


class SessionNotFound(NotFound):
    default_reason = "SESSION_NOT_FOUND"


@dataclass(frozen=True, slots=True)
class AccountGrant:
    """A connection of an application to an account.

    Attributes:
        account_id: The account or organisation that it acts for.
        member: Address of whoever connected it to an organisation.
    """

    grant_id: str
    account_id: str
    client_id: str
    client_name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    member: str | None


class GrantStore(Protocol):
    """Grants, in the transaction of their store."""

    async def of_account(self, account_id: str, now: datetime) -> Sequence[AccountGrant]:
        """Return the active grants of an account, and those that its person made for organisations."""
        ...

    async def revoke(self, grant_id: str, now: datetime) -> AccountGrant | None:
        """Revoke a grant, and the consents and open codes by which its client would get another."""
        ...
