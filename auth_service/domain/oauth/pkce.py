"""Proof Key for Code Exchange, S256 only (RFC 7636)."""

import base64
import hashlib
import hmac
import re
from typing import Final

METHOD: Final = "S256"
_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def is_challenge(challenge: str | None, method: str | None) -> bool:
    """Return whether an authorization request carries a valid S256 challenge."""
    return method == METHOD and bool(challenge and _CHALLENGE.fullmatch(challenge))


def proves(verifier: str | None, challenge: str) -> bool:
    """Return whether `verifier` hashes to `challenge`."""
    if not verifier or not _VERIFIER.fullmatch(verifier):
        return False
    digest = hashlib.sha256(verifier.encode()).digest()
    derived = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return hmac.compare_digest(derived, challenge)
