"""The adapter of a client for Authlib."""

import hmac

from auth_service.domain.oauth import redirects, scopes, secrets
from auth_service.domain.oauth.model import Client
from auth_service.oauth._authlib import ClientMixin

ASSERTION = "private_key_jwt"


class AuthlibClient(ClientMixin):
    """Implement Authlib's `ClientMixin` for a `Client`."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def get_client_id(self) -> str:
        return self.client.client_id

    def get_default_redirect_uri(self) -> str | None:
        uris = self.client.metadata.redirect_uris
        return uris[0] if len(uris) == 1 else None

    def get_allowed_scope(self, scope: str | None) -> str:
        return " ".join(scopes.grantable(scopes.parse(scope)))

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirects.matches(self.client.metadata.redirect_uris, redirect_uri)

    def check_client_secret(self, client_secret: str) -> bool:
        stored = self.client.secret_sha256
        return stored is not None and hmac.compare_digest(stored, secrets.sha256(client_secret))

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:  # noqa: ARG002
        if self.client.metadata.token_endpoint_auth_method == "none":  # noqa: S105 - a method's name
            return method == "none"
        return method == self.client.metadata.token_endpoint_auth_method

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code" and self.check_grant_type("authorization_code")

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in self.client.metadata.grant_types
