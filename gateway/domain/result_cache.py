"""Results of calls, cached by call and by the version of the catalogue that they come from.

The version comes with the admission of every call, from the same atomic step that counts it, so that
a result from before an ingest is never returned after it, by whichever gateway. Answers of the catalog name the
version of the database that gave them, which may be a standby's: a result is kept only if that is the version of
its admission.
"""

import sys
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

_seen: Final[ContextVar[set[str] | None]] = ContextVar("catalog_versions", default=None)

MAX_RESULT_BYTES: Final = 64 * 1024
"""Larger results are not cached."""

_OVERHEAD_BYTES: Final = 220
"""Bytes that a cached result takes up beside its key and itself: its entries in the table and in the
order, while the table is being enlarged, and the object that holds it with its version."""


@contextmanager
def recorded_versions() -> Generator[set[str]]:
    """Collect the versions of the catalogue that answers within the block are of, whichever tasks ask."""
    seen: set[str] = set()
    token = _seen.set(seen)
    try:
        yield seen
    finally:
        _seen.reset(token)


def record_version(version: str) -> None:
    """Note the version that an answer of the catalog is of."""
    seen = _seen.get()
    if seen is not None:
        seen.add(version)


@dataclass(frozen=True, slots=True)
class _Entry:
    version: str
    result: bytes


class ResultCache:
    """Cache results in at most `max_bytes` of memory, their bookkeeping included.

    The least recently used result is dropped first.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._version = ""

    def get(self, call: str, version: str) -> bytes | None:
        """Return the result of a call as of `version`, if it is cached."""
        entry = self._entries.get(call)
        if entry is None or entry.version != version:
            return None
        self._entries.move_to_end(call)
        return entry.result

    def put(self, call: str, version: str, result: bytes) -> None:
        """Cache a result, in place of the one of another version.

        Args:
            call: The call, in words that stand for no other call.
            version: The catalogue's version from before the call; "" when it is not known, and then
                nothing is cached.
            result: The result as JSON.
        """
        if not version or len(result) > MAX_RESULT_BYTES:
            return
        if version == self._version:
            version = self._version  # the same object for all answers of one version
        self._version = version
        before = self._entries.pop(call, None)
        if before is not None:
            self._bytes -= _size(call, before.result)
        self._bytes += _size(call, result)
        self._entries[call] = _Entry(version, result)
        while self._bytes > self._max_bytes:
            oldest, dropped = self._entries.popitem(last=False)
            self._bytes -= _size(oldest, dropped.result)


def _size(call: str, result: bytes) -> int:
    return sys.getsizeof(call) + sys.getsizeof(result) + _OVERHEAD_BYTES
