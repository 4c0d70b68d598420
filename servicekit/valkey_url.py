"""URLs of Valkey: one server, Sentinels that know which server is the primary, or nodes of a cluster."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

SENTINEL_SCHEMES: Final = ("redis+sentinel", "rediss+sentinel")
CLUSTER_SCHEMES: Final = ("redis+cluster", "rediss+cluster")
_PORT: Final = 6379
_SENTINEL_PORT: Final = 26379
_SOCKET_OPTIONS: Final = ("socket_timeout", "socket_connect_timeout")


@dataclass(frozen=True, slots=True)
class SentinelUrl:
    """`redis+sentinel://user:password@a:26379,b,c/NAME/0?sentinel_password=…` in its parts.

    Attributes:
        sentinels: Host and port of each Sentinel.
        name: Of the primary, as the Sentinels' `sentinel monitor NAME` has it.
        username: Of the servers; None for the default user.
        password: Of the servers.
        sentinel_password: Of the Sentinels themselves.
        db: Number of the database.
        has_tls: Whether servers and Sentinels are reached by TLS.
    """

    sentinels: tuple[tuple[str, int], ...]
    name: str
    username: str | None
    password: str | None
    sentinel_password: str | None
    db: int
    has_tls: bool


@dataclass(frozen=True, slots=True)
class ClusterUrl:
    """`redis+cluster://user:password@a:6379,b,c` in its parts.

    Attributes:
        nodes: Host and port of the nodes that the others are found by.
        username: Of all nodes; None for the default user.
        password: Of all nodes.
        has_tls: Whether nodes are reached by TLS.
    """

    nodes: tuple[tuple[str, int], ...]
    username: str | None
    password: str | None
    has_tls: bool


def is_cluster_url(url: str) -> bool:
    """Return whether a URL names the nodes of a cluster."""
    return url.partition(":")[0] in CLUSTER_SCHEMES


def parse_cluster_url(url: str) -> ClusterUrl | None:
    """Return the parts of a URL of a cluster, None for another one.

    Raises:
        ValueError: It names a database, of which a cluster has the first alone.
    """
    parts = urlsplit(url)
    if parts.scheme not in CLUSTER_SCHEMES:
        return None
    databases = (parts.path.strip("/"), *parse_qs(parts.query).get("db", ()))
    if not set(databases) <= {"", "0"}:
        raise ValueError("a cluster has no databases: redis+cluster://a,b,c")
    username, password, nodes = _authority(parts.netloc, _PORT)
    return ClusterUrl(nodes, username, password, parts.scheme == "rediss+cluster")


def parse_sentinel_url(url: str) -> SentinelUrl | None:
    """Return the parts of a URL of Sentinels, None for a URL of one server.

    Raises:
        ValueError: It names no primary, or has a database that is no number.
    """
    parts = urlsplit(url)
    if parts.scheme not in SENTINEL_SCHEMES:
        return None
    name, _, db = parts.path.strip("/").partition("/")
    if not name or (db and not db.isdecimal()):
        raise ValueError(
            "after the Sentinels it names the primary, and may name a database: redis+sentinel://a,b,c/NAME/0"
        )
    username, password, sentinels = _authority(parts.netloc, _SENTINEL_PORT)
    return SentinelUrl(
        sentinels,
        unquote(name),
        username,
        password,
        next(iter(parse_qs(parts.query).get("sentinel_password", ())), None),
        int(db or 0),
        parts.scheme == "rediss+sentinel",
    )


def server_options(url: SentinelUrl) -> dict[str, Any]:
    """Return the options of connections to the servers that the Sentinels name."""
    found: dict[str, Any] = {"username": url.username, "password": url.password, "db": url.db}
    return found | ({"ssl": True} if url.has_tls else {})


def sentinel_options(url: SentinelUrl, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of connections to the Sentinels, with the timeouts of those to the servers."""
    timeouts = {name: options[name] for name in _SOCKET_OPTIONS if name in options}
    password = {"password": url.sentinel_password} if url.sentinel_password else {}
    return timeouts | password | ({"ssl": True} if url.has_tls else {})


def _authority(
    netloc: str, port: int
) -> tuple[str | None, str | None, tuple[tuple[str, int], ...]]:
    """Return username, password, and hosts with their ports; `port` is of hosts that name none."""
    user, _, hosts = netloc.rpartition("@")
    username, _, password = user.partition(":")
    split_hosts = [urlsplit(f"//{host}") for host in hosts.split(",")]
    found = tuple((host.hostname or "", host.port or port) for host in split_hosts)
    return unquote(username) or None, unquote(password) or None, found
