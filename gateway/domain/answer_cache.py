"""Answers that still hold: kept by question and by the version of the catalogue they rest on.

The version comes with the admission of every call, from the same atomic step that counts it, so that
an answer from before an ingest is never given after it, on whichever gateway.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

MAX_ANSWER: Final = 64 * 1024
"""Larger answers are not kept."""


@dataclass(frozen=True, slots=True)
class _Kept:
    version: str
    answer: bytes


class AnswerCache:
    """Keeps answers of at most `max_bytes` together; the longest unused goes first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def get(self, question: Hashable, version: str) -> bytes | None:
        """The answer to `question` as of `version`, if it is kept."""
        kept = self._kept.get(question)
        if kept is None or kept.version != version:
            return None
        self._kept.move_to_end(question)
        return kept.answer

    def keep(self, question: Hashable, version: str, answer: bytes) -> None:
        """Keeps an answer, in place of the one of another version.

        Args:
            question: What was asked.
            version: The catalogue's version from before the question was asked; "" when it is not
                known, and then nothing is kept.
            answer: The answer.
        """
        if not version or len(answer) > MAX_ANSWER:
            return
        before = self._kept.pop(question, None)
        self._bytes += len(answer) - (len(before.answer) if before else 0)
        self._kept[question] = _Kept(version, answer)
        while self._bytes > self._max_bytes:
            _, gone = self._kept.popitem(last=False)
            self._bytes -= len(gone.answer)
