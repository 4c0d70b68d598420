"""Salted hashes of titles, by which a video is recognised whose title may not be stored."""

import hashlib
import re
import unicodedata
from typing import Final

SALT: Final = b"sponsorgraph titles"
"""Public: it only keeps the hashes from being those of other collections."""

TITLE_HASH: Final = re.compile(r"[0-9a-f]{16}")


def title_hash(title: str) -> str:
    """Return 16 hex digits that are equal for titles that differ in case, form or blanks alone."""
    folded = " ".join(unicodedata.normalize("NFKC", title).casefold().split())
    digest = hashlib.blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=8, key=SALT)
    return digest.hexdigest()
