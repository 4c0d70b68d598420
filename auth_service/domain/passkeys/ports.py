"""Ports of passkeys: their storage, and the verification of what authenticators sign."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey of an account. `is_synced` tells whether other devices of its owner have it, too."""

    passkey_id: str
    account_id: str
    credential_id: bytes
    public_key: bytes
    sign_count: int
    name: str
    is_synced: bool
    created_at: datetime
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewCredential:
    """A credential that an authenticator has made."""

    credential_id: bytes
    public_key: bytes
    sign_count: int
    is_synced: bool


@dataclass(frozen=True, slots=True)
class Assertion:
    """A credential as a browser sent it, before anything of it is verified."""

    credential_id: bytes
    challenge: bytes
    user_handle: bytes
    document: Mapping[str, Any]


class WebAuthn(Protocol):
    """Verify what authenticators sign for this site, and only after they verified their user."""

    def parse(self, text: str) -> Assertion | None:
        """Return the credential in a JSON text, None if it is none."""
        ...

    def registration_options(
        self, account_id: str, email: str, challenge: bytes, known: Sequence[bytes]
    ) -> Mapping[str, Any]:
        """Return the options of a new credential, as JSON for the browser."""
        ...

    def login_options(self, challenge: bytes) -> Mapping[str, Any]:
        """Return the options of a login, as JSON for the browser."""
        ...

    def verify_registration(self, assertion: Assertion) -> NewCredential | None: ...

    def verify_login(self, assertion: Assertion, public_key: bytes) -> int | None:
        """Return the authenticator's count of signatures, None if the signature is not the key's."""
        ...


class PasskeyStore(Protocol):
    """The passkeys of accounts."""

    async def of_account(self, account_id: str) -> Sequence[Passkey]:
        """Return the passkeys of an account, the oldest first."""
        ...

    async def by_credential(self, credential_id: bytes) -> Passkey | None: ...

    async def add(self, passkey: Passkey) -> bool:
        """Store a passkey; False when some account has its credential."""
        ...

    async def count_use(self, passkey_id: str, sign_count: int, now: datetime) -> bool:
        """Record a use; False when the authenticator's count has not grown though it counts."""
        ...

    async def rename(self, account_id: str, passkey_id: str, name: str) -> bool: ...

    async def remove(self, account_id: str, passkey_id: str) -> str | None:
        """Delete a passkey of the account; return its name, None when it has no such."""
        ...

    async def use_challenge(self, challenge: bytes, expires_at: datetime) -> bool:
        """Record the use of a challenge; False when it was used before."""
        ...
