"""Opaque cursors: a position in the result of one query, signed so that nobody else can make one.

A cursor is base64url of a MAC and a JSON list. The MAC covers the query too, so that a cursor of
another query, tool or server is refused like a forged one.
"""

import base64
import binascii
import dataclasses
import hmac
import json
from collections.abc import Sequence
from typing import Any, Final

from catalog_service.domain.errors import BadCursor

_MAC_BYTES: Final = 16
_NOT_THE_QUERY: Final = frozenset({"cursor", "limit"})

Position = Sequence[str | int]


class Cursors:
    """Issues and reads cursors under one secret, the same in every replica."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def issue(self, query: Any, position: Position) -> str:
        """Return a cursor to `position` in the result of `query`, a request dataclass."""
        payload = json.dumps(list(position), separators=(",", ":")).encode()
        return _encoded(self._mac(query, payload) + payload)

    def read(self, query: Any, cursor: str) -> list[Any]:
        """Return the position that was issued for `query`.

        Raises:
            BadCursor: It was not issued for this query under this secret.
        """
        try:
            raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise BadCursor from None
        mac, payload = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
        # Decoding drops spare bits; only the one spelling that was issued counts.
        if _encoded(raw) != cursor or not hmac.compare_digest(mac, self._mac(query, payload)):
            raise BadCursor
        return json.loads(payload)

    def _mac(self, query: Any, payload: bytes) -> bytes:
        fingerprint = json.dumps(
            [
                type(query).__name__,
                *(
                    getattr(query, field.name)
                    for field in dataclasses.fields(query)
                    if field.name not in _NOT_THE_QUERY
                ),
            ]
        ).encode()
        return hmac.digest(self._secret, fingerprint + b"\n" + payload, "sha256")[:_MAC_BYTES]


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
