"""Names that people give to what they make: one line that a page, a mail and a terminal can show."""

from typing import Final
from unicodedata import category

from servicekit.errors import InvalidInput

_CONTROLS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DIRECTIONS: Final = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of what follows; joiners, which Persian and emoji have, are none."""


def checked_name(name: str, noun: str, longest: int) -> str:
    """Return a name with its whitespace collapsed.

    Raises:
        InvalidInput: It is empty, longer than `longest` characters, or has control characters or marks of
            direction; the message says of which `noun` ("an API key") it is the name.
    """
    cleaned = " ".join(name.split())
    if not 1 <= len(cleaned) <= longest:
        raise InvalidInput(
            f"The name of {noun} has 1 to {longest} characters.", details={"field": "name"}
        )
    if any(category(character) in _CONTROLS or character in _DIRECTIONS for character in cleaned):
        raise InvalidInput(
            f"The name of {noun} has control characters: give it as it is read.",
            details={"field": "name"},
        )
    return cleaned
