"""Pools of connections to the primary that Sentinels name, closed together with the Sentinels' own."""

from typing import Any

from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool

from servicekit.valkey_url import SentinelUrl, sentinel_options


class SentinelPool(SentinelConnectionPool):
    """redis-py leaves the connections to the Sentinels open when the client is closed."""

    async def disconnect(self, inuse_connections: bool = True) -> None:  # noqa: FBT001, FBT002 - redis-py's signature
        await super().disconnect(inuse_connections)
        if inuse_connections:
            manager: Any = self.sentinel_manager  # redis-py's types are partial
            for sentinel in manager.sentinels:
                await sentinel.aclose()


def sentinel_of(url: SentinelUrl, options: dict[str, Any]) -> Sentinel:
    """Return redis-py's manager of these Sentinels, with the timeouts of the servers' connections."""
    return Sentinel(url.sentinels, sentinel_kwargs=sentinel_options(url, options))
