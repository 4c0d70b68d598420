"""Results of calls, cached by call and by the version of the catalogue that they come from.

The version comes with the admission of every call, from the same atomic step that counts it, so that
a result from before an ingest is never returned after it, by whichever gateway.
"""

import sys
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

MAX_ANSWER: Final = 64 * 1024
"""Larger results are not cached."""

_PLACE: Final = 220
"""Bytes that a cached result takes up beside its key and itself: its entries in the table and in the
order, while the table is being enlarged, and the object that holds it with its version."""


@dataclass(frozen=True, slots=True)
class _Kept:
    version: str
    answer: bytes


class ResultCache:
    """Cache results in at most `max_bytes` of memory, their bookkeeping included.

    The least recently used result is dropped first.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._version = ""

    def get(self, question: str, version: str) -> bytes | None:
        """Return the result of a call as of `version`, if it is cached."""
        kept = self._kept.get(question)
        if kept is None or kept.version != version:
            return None
        self._kept.move_to_end(question)
        return kept.answer

    def keep(self, question: str, version: str, answer: bytes) -> None:
        """Cache a result, in place of the one of another version.

        Args:
            call: The call, in words that stand for no other call.
            version: The catalogue's version from before the call; "" when it is not known, and then
                nothing is cached.
            result: The result as JSON.
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
