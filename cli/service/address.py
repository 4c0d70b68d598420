"""Addresses of the service."""

from typing import Final
from urllib.parse import urlsplit

from cli.service.errors import AddressError
from servicekit.process.addresses import is_loopback

_PATH: Final = "/mcp"


def endpoint(text: str) -> str:
    """Return the URL of the endpoint; where only an origin is given, its usual path follows.

    Raises:
        AddressError: It is no URL of HTTP, or tokens would be readable on the way to it.
    """
    url = urlsplit(text.strip())
    if url.scheme not in ("http", "https") or not url.hostname or url.username or url.fragment:
        raise AddressError(f"{text} is no address of a service: https://HOST/mcp was expected.")
    if url.scheme == "http" and not _is_here(url.hostname):
        raise AddressError(
            f"{text} is reached without encryption, where others can read tokens: use https."
        )
    path = url.path if url.path.strip("/") else _PATH
    return url._replace(path=path).geturl()


def identity(url: str) -> str:
    """Return the endpoint without what a connection chooses by its query."""
    return urlsplit(url)._replace(query="").geturl()


def checked(text: object, subject: str) -> str:
    """Return a URL that a server has named, if tokens may be sent there.

    Raises:
        AddressError: It is none, or would be reached without encryption.
    """
    if not isinstance(text, str) or not text.isprintable():
        raise AddressError(f"The service names no {subject}.")
    endpoint(text)
    return text


def _is_here(host: str) -> bool:
    """Return whether no network is on the way to a host: this machine, also by a name of its own (RFC 6761)."""
    return is_loopback(host) or host.endswith(".localhost")
