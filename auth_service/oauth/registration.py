"""Dynamic client registration (RFC 7591), idempotent for public clients.

Some hosted clients register anew for each connection. The same metadata of a public client gets the
same client id back, so that their number stays that of distinct clients.
"""

from collections.abc import Mapping
from typing import Any

from auth_service.domain.oauth import registration, secrets
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.ports import OAuthStore
from auth_service.oauth.requests import Answer
from servicekit.errors import InvalidInput

_HEADERS = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))


def register(store: OAuthStore, document: Mapping[str, Any], now: Any) -> Answer:
    """Answers 201 with the client, or 400 with an error of RFC 7591 section 3.2.2."""
    try:
        metadata = registration.checked(document)
    except InvalidInput as error:
        body = {"error": error.reason, "error_description": error.public_message}
        return Answer(400, body, _HEADERS)
    fingerprint = metadata.fingerprint()
    public = metadata.token_endpoint_auth_method == "none"  # noqa: S105 - a method's name
    client = store.registered_client(fingerprint) if public else None
    secret = None if public else secrets.new_secret()
    if client is None:
        client = Client(
            client_id=secrets.new_id("client"),
            source="registration",
            metadata=metadata,
            secret_sha256=secrets.sha256(secret) if secret else None,
        )
        store.add_client(client, fingerprint, now)
        store.note("client_registered", None, client.client_id, now)
    return Answer(201, _body(client, secret, now), _HEADERS)


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
    }
    body |= {name: value for name, value in optional.items() if value is not None}
    return (
        body if secret is None else {**body, "client_secret": secret, "client_secret_expires_at": 0}
    )
