"""Names of other alphabets in Latin letters."""

import unicodedata
from typing import Final

from anyascii import anyascii

_LAST_LATIN: Final = "\u024f"
_LONGEST: Final = 200
"""Letters of a transliterated name; one Han character may become six."""


def latin(text: str) -> str | None:
    """Return the text in Latin letters; None if all of its letters are Latin.

    Only letters and digits are transliterated: an emoji would become words.
    """
    composed = unicodedata.normalize("NFKC", text)
    if not any(letter.isalpha() and letter > _LAST_LATIN for letter in composed):
        return None
    spoken = "".join(anyascii(letter) if letter.isalnum() else letter for letter in composed)
    return spoken[:_LONGEST].strip() or None
