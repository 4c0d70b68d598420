"""Storage port of two-factor authentication, in the transaction of its store."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredTotp:
    """The authenticator app of an account. `last_step` is that of the newest code that was used."""

    encrypted_secret: bytes
    enabled_at: datetime
    last_step: int


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """A login whose first step is done. `by` names it, and `following` the path to go on to."""

    account_id: str
    browser_sha256: bytes
    by: str
    following: str
    expires_at: datetime


class TwoFactorStore(Protocol):
    """The second factors and pending logins of accounts."""

    async def totp(self, account_id: str) -> StoredTotp | None: ...

    async def enable(self, account_id: str, totp: StoredTotp) -> bool:
        """Store the authenticator app; False when the account has one."""
        ...

    async def use_step(self, account_id: str, step: int) -> bool:
        """Record the time step of a code; False unless it is later than all that were used."""
        ...

    async def disable(self, account_id: str) -> bool:
        """Delete the authenticator app and the recovery codes; False when there was no app."""
        ...

    async def replace_recovery_codes(self, account_id: str, digests: Sequence[bytes]) -> None: ...

    async def use_recovery_code(self, account_id: str, digest: bytes) -> bool:
        """Delete a recovery code; False when the account has no such."""
        ...

    async def count_recovery_codes(self, account_id: str) -> int: ...

    async def end_pending_logins(self, account_id: str) -> None:
        """Delete the pending logins of an account."""
        ...

    async def add_pending_login(self, secret_sha256: bytes, pending: PendingLogin) -> None: ...

    async def pending_login(
        self, secret_sha256: bytes, browser_sha256: bytes, now: datetime
    ) -> PendingLogin | None:
        """Return a pending login of this browser, or None."""
        ...

    async def end_pending_login(self, secret_sha256: bytes) -> bool:
        """Delete a pending login; False when it was no longer there."""
        ...
