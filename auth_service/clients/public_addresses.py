"""The addresses that requests to other people's hosts may go to, against server-side request forgery.

Following OWASP: a name is resolved once, the connection is made to that address, and addresses that
are not public are refused.
"""

import asyncio
import functools
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import httpx2

from auth_service.domain.ip_addresses import ipv4_of

Resolve = Callable[[str], Awaitable[list[str]]]
"""Resolves a host name to textual IP addresses."""

_GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
"""The IPv6 range that IANA has assigned for public use; `ipaddress` reports more as global, such as
the site-local fec0::/10."""
_RESOLVERS: Final = ThreadPoolExecutor(32, "resolver")
"""A separate pool: callers choose the names, and those whose name servers do not respond hold up neither
work in threads nor the names of the service's own servers, which the event loop looks up."""


async def resolve(host: str) -> list[str]:
    """Resolve `host` to textual IP addresses with the system's resolver."""
    loop = asyncio.get_running_loop()
    found = await loop.run_in_executor(
        _RESOLVERS, functools.partial(socket.getaddrinfo, host, 443, type=socket.SOCK_STREAM)
    )
    return [str(entry[4][0]) for entry in found]


def is_public(address: str) -> bool:
    """Return whether `address` is globally reachable unicast, embedded IPv4 included."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        embedded = ipv4_of(ip) or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if embedded is not None:
            return is_public(str(embedded))
        if ip not in _GLOBAL_UNICAST:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


@functools.cache
def public_authorities() -> ssl.SSLContext:
    """Return the TLS context, built once: loading all certificates blocks other requests."""
    return httpx2.create_ssl_context(trust_env=False)
