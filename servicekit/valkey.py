"""Clients of Valkey (or Redis) for a URL: of one server, of the primary that Sentinels name, or of a cluster."""

from collections.abc import Sequence
from typing import Any, Final

import redis as sync_redis
import redis.asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError
from redis.exceptions import ConnectionError as RedisConnectionError

from servicekit.errors import Unavailable
from servicekit.valkey_url import (
    parse_cluster_url,
    parse_sentinel_url,
    sentinel_options,
    server_options,
)

_RETRIES: Final = 1
"""A command whose connection ended is sent once more; in a cluster when it is known who has the slot now."""

_redis: Any = redis.Redis  # its stubs are partial
_sync_redis: Any = sync_redis.Redis


def open_client(url: str, **options: Any) -> redis.Redis:
    """Return a client that connects when it is used; `options` are those of redis-py's connections."""
    cluster = parse_cluster_url(url)
    if cluster is not None:
        from servicekit.valkey_cluster_client import open_cluster  # noqa: PLC0415 - few URLs have clusters

        client: Any = open_cluster(cluster, retries=_RETRIES, **options)
        return client
    sentinel = parse_sentinel_url(url)
    if sentinel is None:
        # Connections that wait in the pool end with the server: the first command after its restart meets one.
        retry = Retry(NoBackoff(), _RETRIES, supported_errors=(RedisConnectionError,))
        return _redis.from_url(url, retry=retry, **options)
    from servicekit.valkey_sentinel import SentinelPool, sentinel_of  # noqa: PLC0415 - few URLs have Sentinels

    manager = sentinel_of(sentinel, options)
    return _redis.from_pool(
        SentinelPool(sentinel.name, manager, **server_options(sentinel), **options)
    )


def open_sync_client(url: str, **options: Any) -> Any:
    """The same for code that cannot await; a client of a cluster connects at once."""
    cluster = parse_cluster_url(url)
    if cluster is not None:
        from servicekit.valkey_cluster_sync import SyncClusterClient  # noqa: PLC0415 - few URLs have clusters

        return SyncClusterClient(cluster, **options)
    sentinel = parse_sentinel_url(url)
    if sentinel is None:
        return _sync_redis.from_url(url, **options)
    from redis.sentinel import Sentinel  # noqa: PLC0415 - few URLs have Sentinels

    manager = Sentinel(sentinel.sentinels, sentinel_kwargs=sentinel_options(sentinel, options))
    return manager.master_for(  # pyright: ignore[reportUnknownMemberType]
        sentinel.name, **server_options(sentinel), **options
    )


async def ping(client: redis.Redis, setting: str) -> None:
    """Reach Valkey.

    Raises:
        Unavailable: It refuses the credentials of the setting.
        RedisError, OSError: It does not respond, or refuses something else.
    """
    pinging: Any = client
    try:
        await pinging.ping()
    except AuthenticationError as error:
        raise Unavailable(f"Valkey refuses the credentials of {setting}.") from error


async def get_each(client: redis.Redis, keys: Sequence[str]) -> Sequence[bytes | None]:
    """Return the values of keys that need not be in one slot of a cluster."""
    single: Any = client
    if hasattr(single, "mget_nonatomic"):  # a client of a cluster
        return await single.mget_nonatomic(keys)
    return await single.mget(keys)
