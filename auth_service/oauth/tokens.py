"""Token revocation (RFC 7009) and introspection (RFC 7662)."""

# Authlib has no types, so members inherited from its classes are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from dataclasses import dataclass
from typing import Any

from auth_service.domain.oauth import secrets, signing
from auth_service.domain.oauth.model import Grant
from auth_service.oauth._authlib import IntrospectionEndpoint, RevocationEndpoint
from auth_service.oauth.clients import ASSERTION, AuthlibClient
from auth_service.oauth.server import Server


@dataclass(frozen=True, slots=True)
class PresentedToken:
    """A token of this server with its grant. `expires` is a Unix time in seconds.

    `confirmation` is the claim of the key that it is bound to (RFC 9449 section 6.2).
    """

    grant: Grant
    kind: str
    expires: int
    scopes: str
    used: bool = False
    confirmation: dict[str, str] | None = None

    def check_client(self, client: AuthlibClient) -> bool:
        return self.grant.authorization.client_id == client.get_client_id()


def find(server: Server, token: str) -> PresentedToken | None:
    """Return the refresh or access token with its grant; None when this server did not issue it."""
    stored = server.store.lock_refresh_token(secrets.sha256(token))
    if stored is not None:
        return PresentedToken(
            grant=stored.grant,
            kind="refresh_token",
            expires=int(stored.expires_at.timestamp()),
            scopes=" ".join(stored.grant.authorization.scopes),
            used=stored.used_at is not None,
            confirmation={"jkt": stored.thumbprint} if stored.thumbprint else None,
        )
    claims = signing.claims_of(server.environment.keys, token)
    grant = server.store.grant(claims["gid"]) if claims else None
    if claims is None or grant is None:
        return None
    return PresentedToken(
        grant, "access_token", claims["exp"], claims["scope"], confirmation=claims.get("cnf")
    )


class Revocation(RevocationEndpoint):
    """Revoke the grant of any of its tokens. Unknown tokens get the same response."""

    CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post", ASSERTION]  # noqa: RUF012
    server: Server

    def check_params(self, request: Any, client: Any) -> None:
        request.payload.refuse_repeats()
        super().check_params(request, client)

    def authenticate_token(self, request: Any, client: Any) -> PresentedToken | None:
        self.check_params(request, client)
        token = find(self.server, request.form["token"])
        return token if token is not None and token.check_client(client) else None

    def revoke_token(self, token: PresentedToken, request: Any) -> None:  # noqa: ARG002
        self.server.store.revoke_grant(token.grant.grant_id, "revoked_by_client", self.server.now)


class Introspection(IntrospectionEndpoint):
    """Introspect any token, for clients that an operator has added."""

    CLIENT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", ASSERTION]  # noqa: RUF012
    server: Server

    def authenticate_token(self, request: Any, client: AuthlibClient) -> PresentedToken | None:
        self.check_params(request, client)
        if client.client.source != "operator":
            return None
        return find(self.server, request.form["token"])

    def create_introspection_payload(self, token: PresentedToken | None) -> dict[str, Any]:
        if token is None or token.used or token.grant.revoked_at is not None:
            return {"active": False}
        now = self.server.now
        if now.timestamp() >= token.expires or now >= token.grant.expires_at:
            return {"active": False}
        authorization = token.grant.authorization
        if not self.server.store.account_is_active(
            authorization.account_id, authorization.member_id
        ):
            return {"active": False}
        bound = {"cnf": token.confirmation} if token.confirmation else {}
        return bound | {
            "active": True,
            "token_type": token.kind,
            "scope": token.scopes,
            "client_id": authorization.client_id,
            "sub": authorization.account_id,
            "aud": authorization.resource,
            "iss": self.server.policy.issuer,
            "exp": token.expires,
        }
