"""Client credentials of operators' machines, authenticated by a signed assertion.

RFC 6749 section 4.4 with the client authentication of RFC 7523 section 2.2 (`private_key_jwt`).
"""

# Authlib has no types, so members inherited from its classes are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import json
from datetime import UTC, datetime
from typing import Any

from joserfc.jwk import KeySet

from auth_service.domain.oauth import scopes
from auth_service.domain.oauth.model import Authorization
from auth_service.oauth._authlib import (
    ClientCredentialsGrant,
    InvalidGrantError,
    JWTBearerClientAssertion,
    UnauthorizedClientError,
)
from auth_service.oauth.authorization_code import requested_resource
from auth_service.oauth.clients import ASSERTION, AuthlibClient
from auth_service.oauth.server import Server


class SignedAssertion(JWTBearerClientAssertion):
    """Accept an assertion once, with this issuer or its token endpoint as audience."""

    CLIENT_AUTH_METHOD = ASSERTION

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.server = server

    def get_audiences(self) -> list[str]:
        issuer = self.server.policy.issuer
        return [issuer, f"{issuer}/oauth/token"]

    def validate_jti(self, claims: Any, jti: str) -> bool:
        expires_at = datetime.fromtimestamp(claims["exp"] + self.leeway, UTC)
        return self.server.store.remember_assertion(claims["sub"], jti, expires_at)

    def resolve_client_public_key(self, client: AuthlibClient) -> KeySet:
        return KeySet.import_key_set(json.loads(client.client.jwks or '{"keys": []}'))


class MachineGrant(ClientCredentialsGrant):
    """Issue tokens for the account that the operator assigned to the machine."""

    TOKEN_ENDPOINT_AUTH_METHODS = [ASSERTION]  # noqa: RUF012
    server: Server

    def validate_token_request(self) -> None:
        self.request.payload.refuse_repeats()
        self.resource = requested_resource(self.server, self.request.payload)
        client = self.authenticate_token_endpoint_client()
        if not client.check_grant_type(self.GRANT_TYPE):
            raise UnauthorizedClientError("This client may not use client credentials.")
        self.validate_requested_scope()
        self.request.client = client

    def create_token_response(self) -> Any:
        server = self.server
        client = self.request.client.client
        if not server.store.is_machine(client.client_id):
            raise InvalidGrantError("This client was removed.")
        if client.account_id is None or not server.store.account_is_active(client.account_id):
            raise InvalidGrantError("The account of this client is gone or disabled.")
        requested = scopes.grantable(scopes.parse(self.request.payload.scope))
        granted = tuple(scope for scope in requested if scope != scopes.OFFLINE_ACCESS)
        grant = server.open_grant(
            Authorization(client.client_id, client.account_id, granted, self.resource)
        )
        server.store.record_event("token_issued", client.account_id, grant.grant_id, server.now)
        return 200, server.token_response(grant, granted, None), self.TOKEN_RESPONSE_HEADER
