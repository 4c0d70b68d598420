"""The content of consent pages, and the conditions for remembering a consent."""

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from auth_service.domain.oauth import redirects, scopes
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.vouching import Vouching

LIFETIME: Final = timedelta(minutes=15)
"""Time for a decision on a consent page, after which it is refused."""


@dataclass(frozen=True, slots=True)
class DisplayedClient:
    """A client as the consent pages display it.

    `voucher` is the host of its document. `destination` is the host of the redirect; None for a
    device, which polls for the decision.
    """

    name: str
    verified: bool
    name_checked: bool
    voucher: str | None
    destination: str | None
    local: bool
    client_uri: str | None


def displayed_client(
    client: Client, vouching: Vouching, redirect_uri: str | None
) -> DisplayedClient:
    """Return the view of a client; `redirect_uri` is None for a device."""
    return DisplayedClient(
        name=client.metadata.client_name,
        verified=vouching.is_verified,
        name_checked=vouching.is_name_checked,
        voucher=vouching.host,
        destination=redirects.displayed_host(redirect_uri) if redirect_uri else None,
        local=bool(redirect_uri) and redirects.is_local(redirect_uri),
        client_uri=client.metadata.client_uri,
    )


def displayed_scopes(granted: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the scopes, each with the sentence that describes it to people."""
    return [(scope, scopes.DESCRIPTIONS[scope]) for scope in granted]


def fingerprint(
    client: Client, vouching: Vouching, redirect_uri: str, granted: tuple[str, ...]
) -> str | None:
    """Return the key of a remembered consent; None when consent is required each time.

    Any program on the user's machine can claim a local redirect, and anyone can register a name or
    write one into a document. So consent is remembered only for clients that somebody vouches for
    and that are redirected to over https.
    """
    if not vouching.is_verified or redirects.is_local(redirect_uri):
        return None
    key = [client.client_id, redirect_uri, sorted(granted), client.metadata.fingerprint()]
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()
