"""What a consent page shows, and which consents are remembered."""

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from auth_service.domain.oauth import redirects, scopes
from auth_service.domain.oauth.model import Client

LIFETIME: Final = timedelta(minutes=15)
"""How long a consent page may stay open before its answer is refused."""


@dataclass(frozen=True, slots=True)
class ShownClient:
    """A client as the consent page names it."""

    name: str
    verified: bool
    host: str
    local: bool
    client_uri: str | None


def shown(client: Client, redirect_uri: str) -> ShownClient:
    """What to show of a client that wants its answer at `redirect_uri`."""
    return ShownClient(
        name=client.metadata.client_name,
        verified=client.verified,
        host=redirects.displayed_host(redirect_uri),
        local=redirects.is_local(redirect_uri),
        client_uri=client.metadata.client_uri,
    )


def sentences(granted: tuple[str, ...]) -> list[str]:
    """The scopes in words."""
    return [scopes.DESCRIPTIONS[scope] for scope in granted]


def fingerprint(client: Client, redirect_uri: str, granted: tuple[str, ...]) -> str | None:
    """What a remembered consent is kept under; None when this one must be asked each time.

    Anything on the user's machine can claim a local redirect, and anybody can register a name, so
    that only clients whose name is vouched for and whose answer goes over https are remembered.
    """
    if not client.verified or redirects.is_local(redirect_uri):
        return None
    key = [client.client_id, redirect_uri, sorted(granted), client.metadata.fingerprint()]
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()
