"""The session id of the protocol versions with sessions: the session itself, signed.

Any gateway with the same secret serves any session, and none stores it. The id is no
credential: every request brings its own.
"""

import hashlib
import secrets
from functools import lru_cache
from typing import Final

import msgspec

from servicekit.signing import Signer

_NONCE_BYTES: Final = 12
_KNOWN: Final = 1024
"""Sessions that are remembered: a client sends its id with each request."""

_LONGEST: Final = 1_000
"""Characters of an id that is remembered; most have some 100."""


class Session(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of `initialize`: the agreed version, and the name and capabilities of the client."""

    revision: str
    client_name: str
    capabilities: tuple[str, ...]


class Sessions:
    """Signs and reads session ids by HMAC-SHA-256 under `secret`."""

    def __init__(self, secret: str) -> None:
        key = hashlib.sha256(b"mcp session of three fields" + secret.encode()).digest()
        self._signer = Signer(key)
        self._known = lru_cache(maxsize=_KNOWN)(self._read)

    def mint(self, session: Session) -> str:
        # The nonce keeps the ids of two sessions apart (streamable HTTP: globally unique).
        return self._signer.sign(secrets.token_bytes(_NONCE_BYTES) + msgspec.json.encode(session))

    def read(self, session_id: str) -> Session | None:
        """Return the session, or None if the id was not signed by this secret."""
        return (self._known if len(session_id) <= _LONGEST else self._read)(session_id)

    def _read(self, session_id: str) -> Session | None:
        payload = self._signer.verified(session_id)
        if payload is None:
            return None
        return msgspec.json.decode(payload[_NONCE_BYTES:], type=Session)
