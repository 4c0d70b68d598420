"""The session id of the protocol versions with sessions: the session itself, signed.

Any gateway with the same secret serves any session, and none stores it. The id is no
credential: every request brings its own.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import Final

import msgspec

_SIGNATURE_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class Session(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of `initialize`: the agreed version, and the name and capabilities of the client."""

    revision: str
    client_name: str
    client_version: str
    capabilities: tuple[str, ...]


class Sessions:
    """Signs and reads session ids by HMAC-SHA-256 under `secret`."""

    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(b"mcp session" + secret.encode()).digest()

    def mint(self, session: Session) -> str:
        # The nonce keeps the ids of two sessions apart (streamable HTTP: globally unique).
        payload = secrets.token_bytes(_NONCE_BYTES) + msgspec.json.encode(session)
        return _text(self._sign(payload) + payload)

    def read(self, session_id: str) -> Session | None:
        """Return the session, or None if the id was not signed by this secret."""
        try:
            raw = base64.urlsafe_b64decode(session_id + "=" * (-len(session_id) % 4))
        except (binascii.Error, ValueError):
            return None
        if _text(raw) != session_id:
            return None
        signature, payload = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._sign(payload)):
            return None
        return msgspec.json.decode(payload[_NONCE_BYTES:], type=Session)

    def _sign(self, payload: bytes) -> bytes:
        return hmac.digest(self._key, payload, hashlib.sha256)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
