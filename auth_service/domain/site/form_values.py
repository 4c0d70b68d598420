"""Parse the values of form fields."""

import re
from typing import Final

_NUMBER: Final = re.compile(r"[0-9]{1,9}")


def number(text: str) -> int | None:
    """Parse at most nine ASCII digits; return None for any other text.

    `str.isdigit` accepts characters that `int` refuses, and `int` refuses very long texts.
    """
    return int(text) if _NUMBER.fullmatch(text) else None
