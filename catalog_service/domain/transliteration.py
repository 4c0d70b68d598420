"""Names of other alphabets in Latin letters and the digits 0 to 9."""

import unicodedata
from typing import Final

from anyascii import anyascii

from catalog_service.domain.name_keys import plain_digits

_LAST_LATIN: Final = "\u024f"
_LONGEST: Final = 200
"""Letters of a transliterated name; one Han character may become six."""


def latin(text: str) -> str | None:
    """Return the text in Latin letters; None if all of its letters are Latin and its digits 0 to 9.

    Only letters and digits are transliterated: an emoji would become words.
    """
    if text.isascii():
        return None
    composed = unicodedata.normalize("NFKC", text)
    spoken = plain_digits(composed)
    if any(letter.isalpha() and letter > _LAST_LATIN for letter in composed):
        spoken = "".join(anyascii(letter) if letter.isalnum() else letter for letter in spoken)
    elif spoken == composed:
        return None
    return spoken[:_LONGEST].strip() or None
