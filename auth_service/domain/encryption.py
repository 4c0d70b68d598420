"""Encryption at rest and in cookies, with keys derived from one secret of the installation."""

import base64
import hashlib

from cryptography.fernet import Fernet


def fernet(purpose: str, secret: str) -> Fernet:
    """Return a cipher for one purpose; it cannot decrypt what was encrypted for another."""
    return Fernet(base64.urlsafe_b64encode(derived_key(purpose, secret)))


def derived_key(purpose: str, secret: str) -> bytes:
    """Return a key for one purpose, from which neither the secret nor other keys follow."""
    return hashlib.sha256(f"{purpose}:{secret}".encode()).digest()
