"""Sign data that a caller returns to us later: a text of a MAC and a payload, in base64url."""

import base64
import binascii
import hmac
from typing import Final

_SHA256_BYTES: Final = 32


class Signer:
    """Sign and verify payloads by HMAC-SHA-256 under `key`, with `mac_bytes` of the MAC."""

    def __init__(self, key: bytes, mac_bytes: int = _SHA256_BYTES) -> None:
        self._key = key
        self._mac_bytes = mac_bytes

    def sign(self, payload: bytes, bound: bytes = b"") -> str:
        """Return the text of `payload`; what is `bound` is signed with it and not sent."""
        return _text(self._mac(payload, bound) + payload)

    def verified(self, text: str, bound: bytes = b"") -> bytes | None:
        """Return the payload; None when the text was not signed by this key for `bound`."""
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        mac, payload = raw[: self._mac_bytes], raw[self._mac_bytes :]
        # Decoding drops spare bits: the one spelling that was signed counts.
        if _text(raw) != text or not hmac.compare_digest(mac, self._mac(payload, bound)):
            return None
        return payload

    def _mac(self, payload: bytes, bound: bytes) -> bytes:
        return hmac.digest(self._key, bound + payload, "sha256")[: self._mac_bytes]


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
