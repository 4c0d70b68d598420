"""Answers of tools that were paid for, compressed in Valkey until their day ends."""

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import redis.asyncio as redis

from auth_service.domain.explore.ports import StoredResult
from servicekit.observability import logs
from servicekit.valkey import get_each

_PREFIX: Final = "sponsorgraph:answers:"

log = logs.get(__name__)


class ValkeyResults:
    """Implement `ResultStore`: the second in which an answer was read, and its text."""

    def __init__(self, valkey: redis.Redis) -> None:
        self._valkey: Any = valkey

    async def get(self, keys: Sequence[str]) -> Sequence[StoredResult | None]:
        try:
            found = await get_each(self._valkey, [_PREFIX + key for key in keys])
            return [None if value is None else _decoded(value) for value in found]
        except Exception as error:  # noqa: BLE001 - whatever it is, the gateway has the answers, too
            log.warning("answers_not_read", error=str(error))
            return [None] * len(keys)

    async def put(self, key: str, result: StoredResult, seconds: int) -> None:
        value = zlib.compress(f"{result.at.timestamp():.0f} {result.text}".encode())
        try:
            await self._valkey.set(_PREFIX + key, value, ex=seconds)
        except Exception as error:  # noqa: BLE001 - the page has its answer
            log.warning("answer_not_stored", error=str(error))


def _decoded(value: bytes) -> StoredResult:
    """Return a stored answer; one of an earlier release, which is JSON alone, counts as old."""
    first, _, rest = zlib.decompress(value).decode().partition(" ")
    if first.isdecimal():
        return StoredResult(rest, datetime.fromtimestamp(int(first), UTC))
    return StoredResult(f"{first} {rest}".rstrip(), datetime.fromtimestamp(0, UTC))
