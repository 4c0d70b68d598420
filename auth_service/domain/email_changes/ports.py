"""Storage port of changes of address, in the transaction of its store."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Side = Literal["old", "new"]
"""The inbox that a link was mailed to."""


@dataclass(frozen=True, slots=True)
class EmailChange:
    """A change that waits for its links. `session_id` is of the session that requested it."""

    account_id: str
    new_email: str
    session_id: str
    created_at: datetime
    expires_at: datetime
    new_confirmed_at: datetime | None = None
    old_confirmed_at: datetime | None = None

    @property
    def is_confirmed(self) -> bool:
        """True if both inboxes have confirmed it."""
        return self.new_confirmed_at is not None and self.old_confirmed_at is not None


class EmailChangeStore(Protocol):
    """The changes of address, one an account. Tokens are passed as SHA-256."""

    async def begin(self, change: EmailChange, old_token: bytes, new_token: bytes) -> None:
        """Store a change, replacing an earlier one of the account."""
        ...

    async def of_account(self, account_id: str, now: datetime) -> EmailChange | None: ...

    async def of_token(self, token: bytes, now: datetime) -> tuple[EmailChange, Side] | None: ...

    async def confirm(self, account_id: str, side: Side, now: datetime) -> None: ...

    async def end(self, account_id: str) -> bool:
        """Delete the account's change; False when there was none."""
        ...

    async def apply(self, change: EmailChange) -> bool:
        """Set the address; end links and pending logins of the old one.

        Returns:
            False when another account has the address, and nothing is changed.
        """
        ...
