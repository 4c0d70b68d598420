"""Starts are refused where a URL of Valkey and its server disagree on whether there is a cluster."""

from collections.abc import Mapping
from typing import Any, Final

import redis.asyncio as redis
from redis.exceptions import RedisError

from servicekit.process.start import StartError
from servicekit.valkey import open_client
from servicekit.valkey_url import ClusterUrl, parse_cluster_url

_SECONDS: Final = 2.0
_IS_NODE: Final = (
    "{variable} names a node of a Valkey cluster as if it were a single server. Name nodes of the cluster "
    "(redis+cluster://a:6379,b:6379,c:6379, rediss+cluster for TLS), so that each account is counted where its slot is."
)
_IS_SINGLE: Final = (
    "{variable} says redis+cluster, but {host}:{port} is a single server. Name it by redis://{host}:{port}/0, "
    "or the Sentinels of a primary (redis+sentinel://a,b,c/NAME)."
)


def is_cluster(server: Mapping[str, Any]) -> bool:
    """Return whether the server is a node of a cluster, by its section "server" of INFO."""
    return "cluster" in (server.get("redis_mode"), server.get("server_mode"))


async def refuse_wrong_mode(url: str, variable: str) -> None:
    """End the start where the URL names a cluster's node as a server, or a server as a cluster.

    A Valkey that does not respond is not waited for.

    Args:
        url: Of Valkey, "" for none.
        variable: The environment's variable that has it.

    Raises:
        StartError: They disagree.
    """
    if not url:
        return
    cluster = parse_cluster_url(url)
    if cluster is not None:
        await _refuse_single_server(cluster, variable)
    elif (server := await _server(open_client(url, **_TIMEOUTS))) and is_cluster(server):
        raise StartError(_IS_NODE.format(variable=variable))


_TIMEOUTS: Final = {"socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS}


async def _refuse_single_server(cluster: ClusterUrl, variable: str) -> None:
    opening: Any = redis.Redis
    for host, port in cluster.nodes:
        server = await _server(
            opening(
                host=host,
                port=port,
                username=cluster.username,
                password=cluster.password,
                ssl=cluster.has_tls,
                **_TIMEOUTS,
            )
        )
        if server and not is_cluster(server):
            raise StartError(_IS_SINGLE.format(variable=variable, host=host, port=port))
        if server:
            return


async def _server(client: Any) -> Mapping[str, Any] | None:
    """Return what a server says of itself; None if it does not respond. The client is closed."""
    try:
        return await client.info("server")
    except (RedisError, OSError):
        return None
    finally:
        await client.aclose()
