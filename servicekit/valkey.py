"""Clients of Valkey (or Redis) for a URL: of one server, or of the primary that Sentinels name."""

from typing import Any

import redis as sync_redis
import redis.asyncio as redis

from servicekit.valkey_url import parse_sentinel_url, sentinel_options, server_options

_redis: Any = redis.Redis  # its stubs are partial
_sync_redis: Any = sync_redis.Redis


def open_client(url: str, **options: Any) -> redis.Redis:
    """Return a client that connects when it is used; `options` are those of redis-py's connections."""
    sentinel = parse_sentinel_url(url)
    if sentinel is None:
        return _redis.from_url(url, **options)
    from servicekit.valkey_sentinel import SentinelPool, sentinel_of  # noqa: PLC0415 - few URLs have Sentinels

    manager = sentinel_of(sentinel, options)
    return _redis.from_pool(
        SentinelPool(sentinel.name, manager, **server_options(sentinel), **options)
    )


def open_sync_client(url: str, **options: Any) -> Any:
    """The same for code that cannot await."""
    sentinel = parse_sentinel_url(url)
    if sentinel is None:
        return _sync_redis.from_url(url, **options)
    from redis.sentinel import Sentinel  # noqa: PLC0415 - few URLs have Sentinels

    manager = Sentinel(sentinel.sentinels, sentinel_kwargs=sentinel_options(sentinel, options))
    return manager.master_for(  # pyright: ignore[reportUnknownMemberType]
        sentinel.name, **server_options(sentinel), **options
    )
