"""Opaque cursors: a position in the result of one query, signed so that nobody else can make one.

A cursor is base64url of a MAC and a JSON list. The MAC covers the query too, so that a cursor of
another query, tool or server is refused like a forged one.
"""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any, Final

from catalog_service.domain.errors import BadCursor
from servicekit.signing import Signer

_MAC_BYTES: Final = 16
_NOT_THE_QUERY: Final = frozenset({"cursor", "limit"})

Position = Sequence[str | int]


class Cursors:
    """Issues and reads cursors under one secret, the same in every replica."""

    def __init__(self, secret: str) -> None:
        self._signer = Signer(secret.encode(), _MAC_BYTES)

    def issue(self, query: Any, position: Position) -> str:
        """Return a cursor to `position` in the result of `query`, a request dataclass."""
        payload = json.dumps(list(position), separators=(",", ":")).encode()
        return self._signer.sign(payload, _bound(query))

    def read(self, query: Any, cursor: str) -> list[Any]:
        """Return the position that was issued for `query`.

        Raises:
            BadCursor: It was not issued for this query under this secret.
        """
        payload = self._signer.verified(cursor, _bound(query))
        if payload is None:
            raise BadCursor
        return json.loads(payload)


def _bound(query: Any) -> bytes:
    """The query's name and arguments, which the caller repeats with the cursor."""
    arguments = [
        getattr(query, field.name)
        for field in dataclasses.fields(query)
        if field.name not in _NOT_THE_QUERY
    ]
    return json.dumps([type(query).__name__, *arguments]).encode() + b"\n"
