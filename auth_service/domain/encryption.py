"""Encryption at rest and in cookies, with keys derived from one secret of the installation."""

import base64
import hashlib

from cryptography.fernet import Fernet


def fernet(purpose: str, secret: str) -> Fernet:
    """Return a cipher for one purpose; it cannot decrypt what was encrypted for another."""
    derived = hashlib.sha256(f"{purpose}:{secret}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(derived))
