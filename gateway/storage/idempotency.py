"""The `IdempotencyStore` in Valkey."""

from typing import Any, Final

from redis.asyncio import Redis

from gateway.storage.valkey import failures_as_unavailable, idempotency_key_of
from servicekit.errors import ServiceError
from servicekit.observability import logs

_IF_OWNED: Final = "if redis.call('GET', KEYS[1]) == ARGV[1] then return {} end return 0"
_REMOVE: Final = _IF_OWNED.format("redis.call('DEL', KEYS[1])")
_EXTEND: Final = _IF_OWNED.format("redis.call('PEXPIRE', KEYS[1], ARGV[2])")

_SUBJECT: Final = "The check of `idempotency_key`"

log = logs.get(__name__)


def log_lost_result(error: ServiceError) -> None:
    """Log that a repeated call under this key would run again."""
    log.warning("first_result_not_stored", error=str(error))


class ValkeyIdempotencyStore:
    """Store each call under a key that expires."""

    def __init__(self, valkey: Redis) -> None:
        self._valkey: Any = valkey

    async def claim(self, name: str, owner: bytes, seconds: float) -> bytes | None:
        with failures_as_unavailable(_SUBJECT):
            return await self._valkey.set(
                idempotency_key_of(name), owner, nx=True, get=True, px=round(seconds * 1000)
            )

    async def extend_claim(self, name: str, owner: bytes, seconds: float) -> None:
        with failures_as_unavailable(_SUBJECT):
            await self._valkey.eval(
                _EXTEND, 1, idempotency_key_of(name), owner, round(seconds * 1000)
            )

    async def put(self, name: str, value: bytes, seconds: float) -> None:
        with failures_as_unavailable(_SUBJECT):
            await self._valkey.set(idempotency_key_of(name), value, px=round(seconds * 1000))

    async def remove(self, name: str, owner: bytes) -> None:
        with failures_as_unavailable(_SUBJECT):
            await self._valkey.eval(_REMOVE, 1, idempotency_key_of(name), owner)
