"""URLs of Valkey: one server, or Sentinels that know which server is the primary."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

SENTINEL_SCHEMES: Final = ("redis+sentinel", "rediss+sentinel")
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


def parse_sentinel_url(url: str) -> SentinelUrl | None:
    """Return the parts of a URL of Sentinels, None for a URL of one server.

    Raises:
        ValueError: It names no primary, or has a database that is no number.
    """
    parts = urlsplit(url)
    if parts.scheme not in SENTINEL_SCHEMES:
        return None
    user, _, hosts = parts.netloc.rpartition("@")
    username, _, password = user.partition(":")
    name, _, db = parts.path.strip("/").partition("/")
    if not name or (db and not db.isdecimal()):
        raise ValueError(
            "after the Sentinels it names the primary, and may name a database: redis+sentinel://a,b,c/NAME/0"
        )
    split_hosts = [urlsplit(f"//{host}") for host in hosts.split(",")]
    return SentinelUrl(
        tuple((host.hostname or "", host.port or _SENTINEL_PORT) for host in split_hosts),
        unquote(name),
        unquote(username) or None,
        unquote(password) or None,
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
