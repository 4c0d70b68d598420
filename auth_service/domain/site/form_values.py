"""What people type into forms, read as what it is meant to be."""

import re
from typing import Final

_NUMBER: Final = re.compile(r"[0-9]{1,9}")


def number(text: str) -> int | None:
    """Parse at most nine ASCII digits; return None for any other text.

    `str.isdigit` takes more than `int` does, and `int` refuses what is very long.
    """
    return int(text) if _NUMBER.fullmatch(text) else None
