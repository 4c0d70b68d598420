"""Connections to the primary that Sentinels name, with commands written by hiredis."""

from typing import Any

from redis.asyncio import BlockingConnectionPool
from redis.asyncio.sentinel import (
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

from gateway.storage.valkey import Packing
from servicekit.valkey_sentinel import SentinelPool, sentinel_of
from servicekit.valkey_url import SentinelUrl, server_options


class PackedSentinelConnection(Packing, SentinelManagedConnection):
    """A plain connection."""


class PackedSentinelSSLConnection(Packing, SentinelManagedSSLConnection):
    """A connection by TLS."""


class SentinelBlockingPool(SentinelPool, BlockingConnectionPool):
    """A bounded pool, whose new connections go to the primary of the moment."""


def open_pool(url: SentinelUrl, options: dict[str, Any]) -> SentinelBlockingPool:
    """Return the pool; it asks the Sentinels at each new connection."""
    found = server_options(url)
    has_tls = found.pop("ssl", False)
    return SentinelBlockingPool(
        url.name,
        sentinel_of(url, options),
        connection_class=PackedSentinelSSLConnection if has_tls else PackedSentinelConnection,
        **found,
        **options,
    )
