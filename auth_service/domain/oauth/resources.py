"""Resource indicators (RFC 8707): the resource that a token is for."""

from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

from auth_service.domain.oauth import urls
from servicekit.errors import InvalidInput


class InvalidTarget(InvalidInput):
    """The requested resource is not served here (RFC 8707 section 2)."""

    default_reason = "invalid_target"


def canonical(resource: str) -> str:
    """Return `resource` with scheme and host in lower case and without a trailing slash.

    Raises:
        ValueError: It is no URL with one reading.
    """
    parts = urls.split(resource)
    path = parts.path.rstrip("/")
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, parts.query, ""))


def resolve(requested: Sequence[str], served: str) -> str:
    """Return the resource that the token is for, which is always the served one.

    Args:
        requested: Values of the `resource` parameter; empty means the served resource. Its origin
            is accepted too: some clients send the value of a root metadata document.
        served: The canonical URI of the protected resource.

    Raises:
        InvalidTarget: Another resource is requested, or the URI has a fragment or is malformed.
    """
    origin = canonical(served.removesuffix(urlsplit(served).path))
    for resource in requested:
        try:
            is_other = "#" in resource or canonical(resource) not in (served, origin)
        except ValueError:
            is_other = True
        if is_other:
            raise InvalidTarget(f"This server issues tokens for {served} alone, not {resource!r}.")
    return served
