"""Vouching: the party that confirms the name and redirects of a client.

Anyone can register any name, and write any name into a document. A document does prove its host,
and so vouches for the client's site and redirects when they are all of that host.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from auth_service.domain.oauth.model import Client

Voucher = Literal["operator", "publisher", "host", "nobody"]
"""The operator of this service; a publisher that the operator trusts; the host of the client's
document, site and redirects; or nobody."""


@dataclass(frozen=True, slots=True)
class Vouching:
    """The party that vouches for a client. `host` is that of its document, None where it has none."""

    by: Voucher
    host: str | None = None

    @property
    def is_verified(self) -> bool:
        """True if somebody vouches for the client, as far as `host` is trusted."""
        return self.by != "nobody"

    @property
    def is_name_checked(self) -> bool:
        """True if somebody other than the client itself vouches for its name."""
        return self.by in ("operator", "publisher")


def vouching(client: Client, known_publishers: Collection[str]) -> Vouching:
    """Return who vouches for `client`; `known_publishers` are hosts that the operator trusts."""
    if client.source == "operator":
        return Vouching("operator")
    if client.source != "document":
        return Vouching("nobody")
    host = urlsplit(client.client_id).hostname
    if host in known_publishers:
        return Vouching("publisher", host)
    metadata = client.metadata
    client_hosts = {_https_host(uri) for uri in (metadata.client_uri, *metadata.redirect_uris)}
    return Vouching("host" if client_hosts == {host} else "nobody", host)


def _https_host(uri: str | None) -> str | None:
    """Return the host of an https URI, which its certificate proves, or None."""
    parts = urlsplit(uri or "")
    return parts.hostname if parts.scheme == "https" else None
