"""A client of a cluster whose commands are written by hiredis."""

from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.connection import Connection, SSLConnection
from redis.maint_notifications import MaintNotificationsConfig

from gateway.storage.valkey import PackedConnection, PackedSSLConnection
from servicekit.valkey_cluster_client import open_cluster
from servicekit.valkey_url import ClusterUrl

_PACKED: Final = {Connection: PackedConnection, SSLConnection: PackedSSLConnection}


def open_client(url: ClusterUrl, timeout: float) -> Redis:
    """Return a client that waits at most `timeout` seconds, and sends nothing twice."""
    client: Any = open_cluster(
        url,
        retries=0,
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        maint_notifications_config=MaintNotificationsConfig(enabled=False),
    )
    options = client.connection_kwargs  # of the nodes that the cluster names
    options["connection_class"] = _PACKED[options["connection_class"]]
    return client
