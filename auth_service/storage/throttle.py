"""Count attempts per window in Valkey, or in this process while Valkey fails."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

import redis.asyncio as redis

from servicekit.observability import logs

_PREFIX: Final = "sponsorgraph:throttle:"
_MAX_KEY_LENGTH: Final = 200
_CAPACITY: Final = 50_000
_RETRY_SECONDS: Final = 1.0

log = logs.get(__name__)


class LocalThrottle:
    """Implement `Throttle` in one process, evicting the least recently used counter."""

    def __init__(self, clock: Callable[[], float] = time.time, capacity: int = _CAPACITY) -> None:
        self._clock = clock
        self._capacity = capacity
        self._counts: OrderedDict[tuple[str, int], tuple[int, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._counts)

    async def admit(self, key: str, limit: int, per_seconds: int) -> float | None:
        now = self._clock()
        window = int(now // per_seconds)
        counter = (_bounded_key(key), per_seconds)
        counted_window, count = self._counts.get(counter, (window, 0))
        count = count + 1 if counted_window == window else 1
        self._counts[counter] = (window, count)
        self._counts.move_to_end(counter)
        if len(self._counts) > self._capacity:
            self._counts.popitem(last=False)
        return None if count <= limit else (window + 1) * per_seconds - now

    async def forget(self, key: str, per_seconds: int) -> None:
        self._counts.pop((_bounded_key(key), per_seconds), None)


class ValkeyThrottle:
    """Implement `Throttle` with counters in Valkey, shared by all replicas.

    Each process also counts locally and falls back to that count while Valkey fails: the limit then
    applies per replica, with the attempts from before the failure included.
    """

    def __init__(self, client: redis.Redis, clock: Callable[[], float] = time.time) -> None:
        self._client: Any = client
        self._clock = clock
        self._local = LocalThrottle(clock)
        self._failed_at = -_RETRY_SECONDS

    async def admit(self, key: str, limit: int, per_seconds: int) -> float | None:
        local = await self._local.admit(key, limit, per_seconds)
        if self._has_just_failed():
            return local
        now = self._clock()
        window = int(now // per_seconds)
        name = f"{_PREFIX}{_bounded_key(key)}:{window}"
        try:
            async with self._client.pipeline(transaction=False) as pipeline:
                pipeline.incr(name)
                pipeline.expire(name, per_seconds + 1)
                count = int((await pipeline.execute())[0])
        except Exception as error:  # noqa: BLE001 - no failure may lift a limit
            self._record_failure(error)
            return local
        return None if count <= limit else (window + 1) * per_seconds - now

    async def forget(self, key: str, per_seconds: int) -> None:
        await self._local.forget(key, per_seconds)
        if self._has_just_failed():
            return
        name = f"{_PREFIX}{_bounded_key(key)}:{int(self._clock() // per_seconds)}"
        try:
            await self._client.delete(name)
        except Exception as error:  # noqa: BLE001 - the count then expires with its window
            self._record_failure(error)

    def _has_just_failed(self) -> bool:
        """Return whether Valkey failed within the last second, so that attempts need not wait for it."""
        return 0 <= self._clock() - self._failed_at < _RETRY_SECONDS

    def _record_failure(self, error: Exception) -> None:
        self._failed_at = self._clock()
        log.warning("throttle_without_valkey", error=str(error))


def _bounded_key(key: str) -> str:
    """Return the key, with its variable part hashed when it is too long."""
    if len(key) <= _MAX_KEY_LENGTH:
        return key
    return f"{key.partition(':')[0]}:{hashlib.sha256(key.encode(errors='replace')).hexdigest()}"
