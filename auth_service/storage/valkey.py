"""What the auth service keeps in and says over Valkey: the standing feed and the throttle."""

import json
import time
from typing import Any, Final

import redis.asyncio as redis
from redis.exceptions import RedisError

from servicekit import logs

CHANNEL: Final = "sponsorgraph:standing"
_PREFIX: Final = "sponsorgraph:throttle:"

log = logs.get(__name__)


class ValkeyFeed:
    """`StandingFeed` by publish and subscribe; nobody has to listen."""

    def __init__(self, client: redis.Redis) -> None:
        self._client: Any = client

    async def announce(
        self, account_id: str, reason: str, *, credential_id: str | None = None
    ) -> None:
        message = {"account_id": account_id, "credential_id": credential_id, "reason": reason}
        try:
            await self._client.publish(CHANNEL, json.dumps(message))
        except (RedisError, OSError) as error:
            log.warning("standing_not_announced", reason=reason, error=str(error))


class ValkeyThrottle:
    """`Throttle` with a counter a window. Lets everything through while Valkey is away.

    Refusing instead would turn an outage of the counter into one of every login.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client: Any = client

    async def admit(self, key: str, limit: int, per_seconds: int) -> float | None:
        now = time.time()
        window = int(now // per_seconds)
        name = f"{_PREFIX}{key}:{window}"
        try:
            async with self._client.pipeline(transaction=False) as pipeline:
                pipeline.incr(name)
                pipeline.expire(name, per_seconds + 1)
                used, _ = await pipeline.execute()
        except (RedisError, OSError) as error:
            log.warning("throttle_unavailable", error=str(error))
            return None
        return None if int(used) <= limit else (window + 1) * per_seconds - now

    async def forget(self, key: str, per_seconds: int) -> None:
        name = f"{_PREFIX}{key}:{int(time.time() // per_seconds)}"
        try:
            await self._client.delete(name)
        except (RedisError, OSError) as error:
            log.warning("throttle_unavailable", error=str(error))
