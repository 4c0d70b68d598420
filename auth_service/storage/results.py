"""Answers of tools that were paid for, compressed in Valkey until their day ends."""

import zlib
from collections.abc import Sequence
from typing import Any, Final

import redis.asyncio as redis

from servicekit.observability import logs
from servicekit.valkey import get_each

_PREFIX: Final = "sponsorgraph:answers:"

log = logs.get(__name__)


class ValkeyResults:
    """Implement `AnswerStore`."""

    def __init__(self, valkey: redis.Redis) -> None:
        self._valkey: Any = valkey

    async def get(self, keys: Sequence[str]) -> Sequence[str | None]:
        try:
            found = await get_each(self._valkey, [_PREFIX + key for key in keys])
            return [None if value is None else zlib.decompress(value).decode() for value in found]
        except Exception as error:  # noqa: BLE001 - whatever it is, the gateway has the answers, too
            log.warning("answers_not_read", error=str(error))
            return [None] * len(keys)

    async def put(self, key: str, text: str, seconds: int) -> None:
        try:
            await self._valkey.set(_PREFIX + key, zlib.compress(text.encode()), ex=seconds)
        except Exception as error:  # noqa: BLE001 - the page has its answer
            log.warning("answer_not_stored", error=str(error))
