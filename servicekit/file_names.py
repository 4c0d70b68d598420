"""Names of downloaded files, which say what is in them."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Final, cast

_UNSAFE: Final = re.compile(r"[^\w.-]+", re.ASCII)
_MARK: Final = 6
_MAX_STEM: Final = 120
"""Characters: file systems take 255 bytes, and people read a line."""


def file_name(parts: Iterable[str], filters: Mapping[str, object], ending: str) -> str:
    """Return a name of plain letters such as `sponsor-top-category-tech-since-2023-01-01.csv`.

    Args:
        parts: What the file has, the most important first.
        filters: What its rows were chosen by; values are texts, numbers or lists of them.
        ending: Of the file, without its full stop.
    """
    values = {name: _distinct(_shown(value)) for name, value in filters.items()}
    chosen = [f"{_plain(name)}-{value}" for name, value in values.items() if value]
    stem = _plain("-".join([*map(_plain, parts), *chosen]))[:_MAX_STEM].strip("-.")
    return f"{stem or 'export'}.{ending}"


def _distinct(text: str) -> str:
    """Return a value in plain letters, or a mark of one that has none, such as a name in Japanese."""
    return _plain(text) or (sha256(text.encode()).hexdigest()[:_MARK] if text else "")


def _plain(text: str) -> str:
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return _UNSAFE.sub("-", bare.replace("_", "-")).strip("-.").lower()


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return "-".join(map(str, cast("Iterable[object]", value)))
    return str(value)
