"""Secrets of codes and tokens: random, or derived where they have to be reproduced.

A refresh token is derived from the server's secret, its grant and its generation, so that a client
that repeats a refresh within the grace period gets the newest token of its family although only
hashes are stored.
"""

import base64
import hashlib
import hmac
import secrets as random
from typing import Final

_BYTES: Final = 32


def new_secret() -> str:
    """Return 256 random bits, URL-safe."""
    return random.token_urlsafe(_BYTES)


def new_id(prefix: str) -> str:
    """Return an identifier with 128 random bits."""
    return f"{prefix}_{random.token_urlsafe(16)}"


def sha256(secret: str) -> bytes:
    """Return the SHA-256 of a secret, which is stored in its place."""
    return hashlib.sha256(secret.encode()).digest()


def refresh_token(server_secret: str, grant_id: str, generation: int) -> str:
    """Return the refresh token of one generation of a grant."""
    message = f"refresh:{grant_id}:{generation}".encode()
    digest = hmac.digest(server_secret.encode(), message, "sha256")
    return "rt_" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
