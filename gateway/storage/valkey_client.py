"""The client of the Valkey that a URL names: of one server, of the primary that Sentinels name, or of a cluster."""

from collections.abc import Mapping
from typing import Any, Final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection, Connection, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.maint_notifications import MaintNotificationsConfig

from gateway.storage.valkey import PackedConnection, PackedSSLConnection
from servicekit.errors import Unavailable
from servicekit.valkey import ping
from servicekit.valkey_url import parse_cluster_url, parse_sentinel_url

_PACKED: Final[Mapping[type[AbstractConnection], type[AbstractConnection]]] = {
    Connection: PackedConnection,
    SSLConnection: PackedSSLConnection,
}
"""The encoder of commands that replaces redis-py's own."""


def open_valkey(url: str, *, timeout: float) -> Redis:
    """Return a client whose connections wait at most `timeout` seconds for anything.

    Nothing is sent twice: an admission whose answer was lost must not be counted again.
    """
    cluster = parse_cluster_url(url)
    if cluster is not None:
        from gateway.storage.valkey_cluster import open_client  # noqa: PLC0415 - few URLs have clusters

        return open_client(cluster, timeout)
    options: dict[str, Any] = {
        "max_connections": 64,
        "timeout": timeout,
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        "retry": Retry(NoBackoff(), 0),
        # Valkey sends none, and where they are on, redis-py does not see that a connection that it
        # kept was closed meanwhile: after a restart, each one would fail a call.
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }
    sentinel = parse_sentinel_url(url)
    if sentinel is None:
        pool: Any = BlockingConnectionPool.from_url(url, **options)  # pyright: ignore[reportUnknownMemberType]
        pool.connection_class = _PACKED.get(pool.connection_class, pool.connection_class)
    else:
        from gateway.storage.valkey_sentinel import open_pool  # noqa: PLC0415 - few URLs have Sentinels

        pool = open_pool(sentinel, options)
    return Redis.from_pool(pool)


async def refused_credentials(valkey: Redis) -> str | None:
    """Return that Valkey refuses the credentials of the setting; None if it does not, or does not respond."""
    try:
        await ping(valkey, "GATEWAY_VALKEY_URL")
    except Unavailable as refusal:
        return refusal.public_message
    except (RedisError, OSError):
        return None
    return None
