"""Names of downloaded files, which say what is in them."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, cast

_UNSAFE: Final = re.compile(r"[^\w.-]+", re.ASCII)
_MAX_STEM: Final = 120
"""Characters: file systems take 255 bytes, and people read a line."""


def file_name(parts: Iterable[str], filters: Mapping[str, object], ending: str) -> str:
    """Return a name of plain letters such as `sponsor-top-category-tech-since-2023-01-01.csv`.

    Args:
        parts: What the file has, the most important first.
        filters: What its rows were chosen by; values are texts, numbers or lists of them.
        ending: Of the file, without its full stop.
    """
    chosen = [f"{name}-{_shown(value)}" for name, value in filters.items()]
    stem = _UNSAFE.sub("-", "-".join([*parts, *chosen]).replace("_", "-"))
    return f"{stem[:_MAX_STEM].strip('-.').lower()}.{ending}"


def _shown(value: object) -> str:
    if isinstance(value, list | tuple):
        return "-".join(map(str, cast("Iterable[object]", value)))
    return str(value)
