"""CORS: the web origins that may call, and the header fields for browsers."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from gateway.mcp.transport.http import Headers, Request

_LOOPBACK: Final = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?")
_ALLOWED_FIELDS: Final = frozenset(
    {
        "accept",
        "authorization",
        "content-type",
        "dpop",
        "last-event-id",
        "sponsorgraph-tool-names",
        "sponsorgraph-toolsets",
        "traceparent",
    }
)
_EXPOSED: Final = (
    b"WWW-Authenticate, Retry-After, Mcp-Session-Id, MCP-Protocol-Version, RateLimit, "
    b"RateLimit-Policy, X-Request-Id"
)


class Origins:
    """The origins that may call: the service's own, loopback, and those that an operator names."""

    def __init__(self, own_url: str, others: Iterable[str]) -> None:
        own = urlsplit(own_url)
        self._allowed = frozenset(
            {f"{own.scheme}://{own.netloc}", *(other.rstrip("/") for other in others)}
        )

    def admits(self, origin: str | None) -> bool:
        """Return whether a request with this `Origin` is served; without one it comes from no web page."""
        return origin is None or origin in self._allowed or _is_loopback(origin)


def cors(origin: str | None) -> Headers:
    """Return the header fields by which a page of an admitted origin may read the reply."""
    if origin is None:
        return ()
    return (
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", _EXPOSED),
        (b"vary", b"Origin"),
    )


def preflight(request: Request) -> Headers:
    """Return the header fields that allow a page to send those of its fields that MCP uses."""
    requested = request.header(b"access-control-request-headers") or ""
    names = [name.strip().lower() for name in requested.split(",")]
    fields = [name for name in names if name in _ALLOWED_FIELDS or name.startswith("mcp-")]
    return (
        (b"access-control-allow-methods", b"POST"),
        (b"access-control-allow-headers", ", ".join(fields).encode("latin-1")),
        (b"access-control-max-age", b"7200"),
    )


def _is_loopback(origin: str) -> bool:
    return _LOOPBACK.fullmatch(origin) is not None
