"""The sample catalogue that a fresh stack starts with, and what builds it."""

import hashlib
from importlib import resources
from typing import Final

RESTORED: Final = "restored"
"""In the place of a digest: the catalogue of this home is a backup's, and gets no sample."""


def digest() -> str:
    """Return the SHA-256 of the sample, by which a home knows that it has had it."""
    file = resources.files("devstack.sample") / "catalog.jsonl.gz"
    return hashlib.sha256(file.read_bytes()).hexdigest()
