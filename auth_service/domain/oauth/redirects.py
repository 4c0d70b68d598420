"""Redirect URIs: validation at registration, and comparison with the one in a request.

RFC 9700 section 4.1.3 requires exact comparison; RFC 8252 section 7.3 exempts the port of loopback
addresses. Custom schemes are accepted for known applications only, because any program can claim a
scheme.
"""

from collections.abc import Iterable
from typing import Final
from urllib.parse import SplitResult, urlsplit

from auth_service.domain.oauth import urls
from servicekit.errors import InvalidInput
from servicekit.process.addresses import is_loopback

CUSTOM_SCHEMES: Final = frozenset({"cursor", "vscode", "vscode-insiders", "windsurf"})


class InvalidRedirectUri(InvalidInput):
    """The redirect URI may not be registered (RFC 7591 section 3.2.2)."""

    default_reason = "invalid_redirect_uri"


def check(uri: str) -> str:
    """Return `uri` when it may be registered.

    Raises:
        InvalidRedirectUri: It is relative, has a fragment or user, or an unsupported scheme.
    """
    parts = _split(uri)
    if parts.fragment or "#" in uri:
        raise InvalidRedirectUri(f"The redirect URI {uri!r} must not have a fragment.")
    if parts.username is not None or parts.password is not None:
        raise InvalidRedirectUri(f"The redirect URI {uri!r} must not name a user.")
    if parts.scheme == "https" and parts.hostname:
        return uri
    if parts.scheme == "http" and is_loopback(parts.hostname):
        return uri
    if parts.scheme in CUSTOM_SCHEMES and (parts.netloc or parts.path):
        return uri
    raise InvalidRedirectUri(
        f"The redirect URI {uri!r} must be https, http on localhost, 127.0.0.1 or [::1], or of one "
        f"of the applications {', '.join(sorted(CUSTOM_SCHEMES))}."
    )


def _split(uri: str) -> SplitResult:
    try:
        return urls.split(uri)
    except ValueError:
        raise InvalidRedirectUri(
            f"A redirect URI has a plain host and at most {urls.MAX_LENGTH} printable ASCII characters."
        ) from None


def matches(registered: Iterable[str], requested: str) -> bool:
    """Return whether `requested` is registered, ignoring the port of loopback URIs."""
    known = set(registered)
    if requested in known:
        return True
    try:
        wanted = _without_loopback_port(_split(requested))
    except InvalidRedirectUri:
        return False
    return wanted is not None and any(
        _without_loopback_port(_split(uri)) == wanted for uri in known
    )


def _without_loopback_port(parts: SplitResult) -> tuple[str | None, str, str] | None:
    if parts.scheme != "http" or not is_loopback(parts.hostname):
        return None
    if parts.username is not None or parts.fragment:
        return None
    return parts.hostname, parts.path, parts.query


def displayed_host(uri: str) -> str:
    """Return the name that the consent page shows for the destination of `uri`."""
    parts = urlsplit(uri)
    if is_loopback(parts.hostname):
        return "this computer"
    if parts.scheme == "https":
        return parts.hostname or uri
    return f"the application {parts.scheme}://"


def is_local(uri: str) -> bool:
    """Return whether any program on the user's machine could receive a redirect to `uri`."""
    return urlsplit(uri).scheme != "https"
