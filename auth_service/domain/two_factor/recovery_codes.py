"""Recovery codes: random, stored as hashes, each good for one login."""

import hashlib
import secrets
from typing import Final

COUNT: Final = 10
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH: Final = 16
"""80 bits, so that a fast hash is enough (NIST SP 800-63B, 3.1.2.2)."""

_GROUP: Final = 4
_LOOKALIKES: Final = str.maketrans("oil", "011")


def new_codes() -> tuple[str, ...]:
    """Return new recovery codes as people see them."""
    return tuple(_grouped(_random()) for _ in range(COUNT))


def digest(account_id: str, code: str) -> bytes | None:
    """Return the stored form of a code of an account; None if the text cannot be a code."""
    code = code.lower().translate(_LOOKALIKES).replace("-", "").replace(" ", "")
    if len(code) != _LENGTH or not set(code) <= set(_ALPHABET):
        return None
    return hashlib.sha256(f"{account_id}:{code}".encode()).digest()


def _random() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))


def _grouped(code: str) -> str:
    return "-".join(code[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP))
