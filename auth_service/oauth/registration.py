"""Dynamic client registration (RFC 7591), idempotent for public clients.

Some hosted clients register again for each connection. A public client that registers the same
metadata gets the same client id, so that the table grows only with distinct clients.
"""

from typing import Any

from auth_service.domain.oauth import secrets
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.ports import OAuthStore
from auth_service.domain.oauth.registration import ClientMetadata
from auth_service.oauth.requests import OAuthResponse

_HEADERS = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))


def find(store: OAuthStore, metadata: ClientMetadata, now: Any) -> OAuthResponse | None:
    """Return the response for a public client that is already registered, or None."""
    client = store.registered_client(metadata.fingerprint()) if _is_public(metadata) else None
    return None if client is None else OAuthResponse(201, _body(client, None, now), _HEADERS)


def register(store: OAuthStore, metadata: ClientMetadata, now: Any) -> OAuthResponse:
    """Return 201 with the client, creating it if it is not registered yet."""
    known = find(store, metadata, now)
    if known is not None:
        return known
    secret = None if _is_public(metadata) else secrets.new_secret()
    client = Client(
        client_id=secrets.new_id("client"),
        source="registration",
        metadata=metadata,
        secret_sha256=secrets.sha256(secret) if secret else None,
    )
    store.add_client(client, metadata.fingerprint(), now)
    store.record_event("client_registered", None, client.client_id, now)
    return OAuthResponse(201, _body(client, secret, now), _HEADERS)


def _is_public(metadata: ClientMetadata) -> bool:
    return metadata.token_endpoint_auth_method == "none"  # noqa: S105 - a method's name


def _body(client: Client, secret: str | None, now: Any) -> dict[str, Any]:
    metadata = client.metadata
    body: dict[str, Any] = {
        "client_id": client.client_id,
        "client_id_issued_at": int(now.timestamp()),
        "client_name": metadata.client_name,
        "redirect_uris": list(metadata.redirect_uris),
        "grant_types": list(metadata.grant_types),
        "response_types": ["code"] if "authorization_code" in metadata.grant_types else [],
        "token_endpoint_auth_method": metadata.token_endpoint_auth_method,
    }
    optional = {
        "scope": metadata.scope or None,
        "application_type": metadata.application_type,
        "client_uri": metadata.client_uri,
        "dpop_bound_access_tokens": metadata.dpop_bound_access_tokens or None,
        "require_pushed_authorization_requests": (
            metadata.require_pushed_authorization_requests or None
        ),
    }
    body |= {name: value for name, value in optional.items() if value is not None}
    return (
        body if secret is None else {**body, "client_secret": secret, "client_secret_expires_at": 0}
    )
