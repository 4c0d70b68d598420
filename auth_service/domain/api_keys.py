"""Personal API keys: their format and their stored form.

A key is `mcp_`, thirty random base62 characters (about 178 bits) and six checksum characters: the
CRC-32 of the thirty in base62. The checksum lets secret scanners and the gateway recognise mistyped
keys without a database query; it adds no security.
"""

import hashlib
import secrets
import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from servicekit.errors import Conflict, NotFound, PermissionDenied

PREFIX: Final = "mcp_"
MAX_NAME: Final = 80
MAX_DAYS: Final = 3650
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_LENGTH: Final = 30
_CHECKSUM_LENGTH: Final = 6


class KeyNotFound(NotFound):
    default_reason = "KEY_NOT_FOUND"


class TooManyKeys(Conflict):
    default_reason = "TOO_MANY_KEYS"


class PlanLacksKeys(PermissionDenied):
    default_reason = "KEY_PLAN_LACKS_KEYS"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret. `masked` shows its first and last characters."""

    key_id: str
    account_id: str
    name: str
    masked: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    created_by: str | None = None
    """The member who made a key of an organisation; None for all others, and who has no account any more."""


def generate() -> str:
    """Return a new secret."""
    body = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_LENGTH))
    return PREFIX + body + checksum(body)


def checksum(body: str) -> str:
    """Return the six checksum characters for `body`."""
    value = zlib.crc32(body.encode())
    digits = ""
    for _ in range(_CHECKSUM_LENGTH):
        value, digit = divmod(value, len(_ALPHABET))
        digits = _ALPHABET[digit] + digits
    return digits


def digest(secret: str) -> bytes:
    """Return the SHA-256 of a key, by which it is stored and looked up."""
    return hashlib.sha256(secret.encode()).digest()


def masked(secret: str) -> str:
    """Return the first and last characters of a key, for lists."""
    return f"{secret[:8]}…{secret[-4:]}"
