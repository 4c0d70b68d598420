"""The parts of a channel's name that codes are made of."""

import re
from functools import lru_cache
from typing import Final

from import_worker.detector.folding import name_key

_NAME_PART: Final = re.compile(r"[A-ZÀ-Þ]?[^\W_A-ZÀ-Þ]+|[A-ZÀ-Þ]+(?![a-z])|\w+")
CASELESS: Final = re.compile(r"[\u0590-\u0fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Letters of scripts without capitals."""

_FEW: Final = 3


@lru_cache(maxsize=4_096)
def bears_name(channel: str, word: str) -> bool:
    """Return whether a word begins or ends with a word of a channel's name, or is the beginning of one."""
    key = name_key(word).strip("0123456789")
    return len(key) >= _FEW and any(
        key.startswith(name) or key.endswith(name) or (len(key) > _FEW and name.startswith(key))
        for name in name_parts(channel)
    )


@lru_cache(maxsize=256)
def name_parts(channel: str) -> tuple[str, ...]:
    """Return the words of a channel's name, as keys, all of them run together, and their initials."""
    parts = [key for part in _NAME_PART.findall(channel) if (key := name_key(part))]
    initials = "".join(part[0] for part in parts)
    every = dict.fromkeys([*parts, "".join(parts), initials])
    return tuple(part for part in every if len(part) >= _FEW)
