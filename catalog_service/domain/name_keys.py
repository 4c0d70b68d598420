"""What the keys have by which names are compared: letters, and the digits 0 to 9.

The SQL function `normalised` makes them. Of digits it has those of ASCII alone, so digits of other scripts are replaced before.
"""

import string
import unicodedata
from typing import Final

_WITHOUT_KEY: Final = frozenset("\u02b9\u02ba\u02bb\u02bc\u02bd\u02c6\u02c8\u02cb\u02d0")
"""Letters that `unaccent` takes for punctuation."""


def plain_digits(text: str) -> str:
    """Return the text with digits of other scripts as the digits 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(character, character)) for character in text)


def key_letters(text: str) -> str:
    """Return the letters and digits that are in the key of a text; empty if no name can be found by it."""
    if text.isascii():
        return "".join(filter(str.isalnum, text))
    composed = unicodedata.normalize("NFKC", plain_digits(text))
    return "".join(filter(is_in_key, composed))


def is_in_key(character: str) -> bool:
    """Return whether a character of normalised text is in the key."""
    if character.isalpha():
        return character not in _WITHOUT_KEY
    return character in string.digits or unicodedata.category(character) == "Nl"
