"""Challenges of passkeys: signed, bound to one browser and purpose, good for fifteen minutes.

A challenge is stored when it is used, not when it is issued, so that visits of strangers to the login
page leave nothing behind.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from auth_service.domain.ports import Clock
from servicekit.signing import Signer

LIFETIME: Final = timedelta(minutes=15)
_TIME_BYTES: Final = 8
_NONCE_BYTES: Final = 24


@dataclass(frozen=True, slots=True)
class Purpose:
    """The ceremony that a challenge is for: its name, the browser, and the account if known."""

    name: str
    browser: str
    account_id: str = ""


@dataclass(frozen=True, slots=True)
class Challenges:
    """Issue and recognise challenges."""

    key: bytes
    clock: Clock

    def issue(self, purpose: Purpose) -> bytes:
        """Return a new challenge."""
        expires = int((self.clock() + LIFETIME).timestamp())
        body = expires.to_bytes(_TIME_BYTES, "big") + secrets.token_bytes(_NONCE_BYTES)
        return Signer(self.key).sign(body, _bound(purpose)).encode()

    def expiry(self, challenge: bytes, purpose: Purpose) -> datetime | None:
        """Return when a challenge expires, None if it was not issued for this purpose or has expired."""
        body = Signer(self.key).verified(challenge.decode("ascii", "replace"), _bound(purpose))
        if body is None:
            return None
        expires_at = datetime.fromtimestamp(int.from_bytes(body[:_TIME_BYTES], "big"), UTC)
        return expires_at if expires_at > self.clock() else None


def _bound(purpose: Purpose) -> bytes:
    parts = (purpose.name, purpose.browser, purpose.account_id)
    return b"".join(hashlib.sha256(part.encode()).digest() for part in parts)
