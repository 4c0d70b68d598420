"""Personal API keys: their form, and what is kept of them.

`mcp_`, thirty random base62 characters (about 178 bits), and six of checksum: CRC-32 of the thirty
in base62. The checksum tells typing errors and scanners' finds apart without a look-up; it protects
nothing.
"""

import hashlib
import secrets
import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from servicekit.errors import Conflict, InvalidInput, NotFound, PermissionDenied

PREFIX: Final = "mcp_"
MAX_NAME: Final = 80
MAX_DAYS: Final = 3650
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM: Final = 30
_CHECK: Final = 6


class KeyNotFound(NotFound):
    default_reason = "KEY_NOT_FOUND"


class TooManyKeys(Conflict):
    default_reason = "TOO_MANY_KEYS"


class PlanLacksKeys(PermissionDenied):
    default_reason = "KEY_PLAN_LACKS_KEYS"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret. `masked` shows its first and last characters."""

    key_id: str
    account_id: str
    name: str
    masked: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


def generate() -> str:
    """A new secret."""
    body = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
    return PREFIX + body + checksum(body)


def checksum(body: str) -> str:
    """The six characters that follow `body`."""
    value = zlib.crc32(body.encode())
    digits = ""
    for _ in range(_CHECK):
        value, digit = divmod(value, len(_ALPHABET))
        digits = _ALPHABET[digit] + digits
    return digits


def digest(secret: str) -> bytes:
    """What is stored and looked up: SHA-256."""
    return hashlib.sha256(secret.encode()).digest()


def masked(secret: str) -> str:
    """What lists show of a key."""
    return f"{secret[:8]}…{secret[-4:]}"


def checked_name(name: str) -> str:
    """A name for a key, one line and not too long.

    Raises:
        InvalidInput: It is empty or longer than 80 characters.
    """
    cleaned = " ".join(name.split())
    if not cleaned or len(cleaned) > MAX_NAME:
        raise InvalidInput(
            f"A key's name has 1 to {MAX_NAME} characters.", details={"field": "name"}
        )
    return cleaned
