"""A Valkey cluster is refused: the scripts that count touch keys of several slots."""

from collections.abc import Mapping
from typing import Any, Final

from redis.exceptions import RedisError

from servicekit.process.start import StartError
from servicekit.valkey import open_client

_SECONDS: Final = 2.0
_SENTENCE: Final = (
    "{variable} names a node of a Valkey cluster, which is not supported: name a single server "
    "(redis://host:port/0) or the Sentinels of a primary (redis+sentinel://a,b,c/NAME)."
)


def is_cluster(server: Mapping[str, Any]) -> bool:
    """Return whether the server is a node of a cluster, by its section "server" of INFO."""
    return "cluster" in (server.get("redis_mode"), server.get("server_mode"))


async def refuse_cluster(url: str, variable: str) -> None:
    """End the start where the URL names a node of a cluster; a Valkey that does not answer is not waited for.

    Args:
        url: Of Valkey, "" for none.
        variable: The environment's variable that has it.

    Raises:
        StartError: It is such a node.
    """
    if not url:
        return
    client: Any = open_client(url, socket_timeout=_SECONDS, socket_connect_timeout=_SECONDS)
    try:
        server = await client.info("server")
    except (RedisError, OSError):
        return
    finally:
        await client.aclose()
    if is_cluster(server):
        raise StartError(_SENTENCE.format(variable=variable))
