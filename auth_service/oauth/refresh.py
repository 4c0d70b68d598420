"""The refresh token grant with rotation, families and a grace period for parallel clients.

RFC 6749 section 6 and RFC 9700 section 4.14.2; the rules are `domain.oauth.refresh`.
"""

# Authlib has no types, so members inherited from its classes are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

from auth_service.domain.oauth import refresh, scopes, secrets
from auth_service.domain.oauth.model import StoredRefreshToken
from auth_service.domain.oauth.refresh import RefreshDecision
from auth_service.oauth._authlib import (
    InvalidGrantError,
    InvalidRequestError,
    InvalidScopeError,
    OAuth2Error,
    RefreshTokenGrant,
    UnauthorizedClientError,
)
from auth_service.oauth.authorization_code import InvalidTargetError, requested_resource
from auth_service.oauth.possession import InvalidProofError
from auth_service.oauth.server import Server


class InteractionRequiredError(OAuth2Error):
    """Only the user can give what the client needs: it has to send them to the authorization endpoint.

    Version 1 of the MCP TypeScript SDK takes an error that it does not know for a reason to do that,
    and those of RFC 6749 section 5.2 for a reason to give up.
    """

    error = "interaction_required"


class RotatingRefreshGrant(RefreshTokenGrant):
    """Replace the token at each use; within the grace period, repeated uses get the same successor."""

    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]  # noqa: RUF012
    server: Server

    def validate_token_request(self) -> None:
        payload = self.request.payload
        payload.refuse_repeats()
        client = self.authenticate_token_endpoint_client()
        if not client.check_grant_type(self.GRANT_TYPE):
            raise UnauthorizedClientError("This client may not use refresh tokens.")
        token = payload.data.get("refresh_token")
        if not token:
            raise InvalidRequestError("refresh_token is missing.")
        stored = self.server.store.lock_refresh_token(secrets.sha256(token))
        if stored is None or stored.grant.authorization.client_id != client.get_client_id():
            raise InvalidGrantError("The refresh token is unknown.")
        self._check_key(stored)
        if requested_resource(self.server, payload) != stored.grant.authorization.resource:
            raise InvalidTargetError("The grant is for another resource.")
        requested = scopes.parse(payload.scope)
        narrowed = scopes.narrow(stored.grant.authorization.scopes, requested)
        if narrowed is None:
            raise InvalidScopeError("A refresh cannot widen the scopes of its grant.")
        self.request.client = client
        self.stored, self.scopes = stored, narrowed

    def _check_key(self, stored: StoredRefreshToken) -> None:
        """Refuse a bound token without its key. The grant stays: a thief could not have used it either."""
        if stored.thumbprint in (None, self.server.thumbprint):
            return
        if self.server.thumbprint is None:
            raise InvalidProofError("The refresh token is bound to a key: send a DPoP proof of it.")
        raise InvalidGrantError("The refresh token is bound to another key.")

    def create_token_response(self) -> Any:
        server, stored = self.server, self.stored
        authorization = stored.grant.authorization
        if not server.store.account_is_active(authorization.account_id, authorization.member_id):
            raise InvalidGrantError("The account is gone or disabled.")
        decision = self._decision(stored)
        if decision in (RefreshDecision.ROTATE, RefreshDecision.SAME_SUCCESSOR):
            self._check_consent(stored)
        successor = self._successor(stored, decision)
        response = server.token_response(stored.grant, self.scopes, successor)
        return 200, response, self.TOKEN_RESPONSE_HEADER

    def _check_consent(self, stored: StoredRefreshToken) -> None:
        """Refuse one refresh of a client that was just refused for a scope which the grant lacks.

        The token goes on working. A client that names scopes knows what a refresh can give it.
        """
        server, required_at = self.server, stored.grant.consent_required_at
        if required_at is None or self.request.payload.scope:
            return
        server.store.forget_required_consent(stored.grant.grant_id)
        if server.now - required_at <= server.policy.step_up:
            raise InteractionRequiredError(
                "A refresh cannot widen the scopes of its grant. Send the user to the authorization "
                "endpoint for the scopes that were refused; this refresh token goes on working."
            )

    def _decision(self, stored: StoredRefreshToken) -> RefreshDecision:
        token = refresh.RefreshToken(
            expires_at=stored.expires_at,
            family_expires_at=stored.grant.expires_at,
            used_at=stored.used_at,
            revoked_at=stored.grant.revoked_at,
            successor_used=stored.grant.generation > stored.generation + 1,
        )
        return refresh.decide(token, self.server.now, self.server.policy.grace)

    def _successor(self, stored: StoredRefreshToken, decision: RefreshDecision) -> str:
        server, grant = self.server, stored.grant
        if decision is RefreshDecision.ROTATE:
            server.store.rotate(grant.grant_id, stored.generation, server.now)
            account_id = grant.authorization.account_id
            server.store.record_event("token_refreshed", account_id, grant.grant_id, server.now)
            return server.add_refresh_token(grant, stored.generation + 1)
        if decision is RefreshDecision.SAME_SUCCESSOR:
            successor = secrets.refresh_token(
                server.policy.token_secret, grant.grant_id, grant.generation
            )
            newest = server.store.lock_refresh_token(secrets.sha256(successor))
            if newest is None or newest.thumbprint != server.refresh_thumbprint:
                raise InvalidGrantError("The refresh token was used with another key.")
            return successor
        if decision is RefreshDecision.REUSED:
            server.store.revoke_grant(grant.grant_id, "refresh_token_reused", server.now)
        raise InvalidGrantError("The refresh token is expired, used or revoked.")
