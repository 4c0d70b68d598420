"""Answers that still hold: kept by question and by the version of the catalogue they rest on.

The version comes with the admission of every call, from the same atomic step that counts it, so that
an answer from before an ingest is never given after it, on whichever gateway.
"""

import sys
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

MAX_ANSWER: Final = 64 * 1024
"""Larger answers are not kept."""

_PLACE: Final = 220
"""Bytes that a kept answer takes up beside its question and itself: its places in the table and in
the order, while the table is being enlarged, and what holds it with its version."""


@dataclass(frozen=True, slots=True)
class _Kept:
    version: str
    answer: bytes


class ResultCache:
    """Keeps answers that take up at most `max_bytes` of memory with all that is kept with them.

    The longest unused goes first.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._version = ""

    def get(self, question: str, version: str) -> bytes | None:
        """The answer to `question` as of `version`, if it is kept."""
        kept = self._kept.get(question)
        if kept is None or kept.version != version:
            return None
        self._kept.move_to_end(question)
        return kept.answer

    def keep(self, question: str, version: str, answer: bytes) -> None:
        """Keeps an answer, in place of the one of another version.

        Args:
            question: What was asked, in words that stand for nothing else.
            version: The catalogue's version from before the question was asked; "" when it is not
                known, and then nothing is kept.
            answer: The answer.
        """
        if not version or len(answer) > MAX_ANSWER:
            return
        if version == self._version:
            version = self._version  # the same object for all answers of one version
        self._version = version
        before = self._kept.pop(question, None)
        if before is not None:
            self._bytes -= _size(question, before.answer)
        self._bytes += _size(question, answer)
        self._kept[question] = _Kept(version, answer)
        while self._bytes > self._max_bytes:
            unused, gone = self._kept.popitem(last=False)
            self._bytes -= _size(unused, gone.answer)


def _size(question: str, answer: bytes) -> int:
    return sys.getsizeof(question) + sys.getsizeof(answer) + _PLACE
