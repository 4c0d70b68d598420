"""The authorization code grant with PKCE (RFC 6749 section 4.1, RFC 7636, RFC 8707, RFC 9207)."""

# Authlib has no types, so members inherited from its classes are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

from auth_service.domain.oauth import pkce, resources, scopes, secrets
from auth_service.domain.oauth.model import Authorization, AuthorizationCode
from auth_service.oauth._authlib import (
    AccessDeniedError,
    AuthorizationCodeGrant,
    InvalidGrantError,
    InvalidRequestError,
    OAuth2Error,
    UnauthorizedClientError,
)
from auth_service.oauth.server import Server
from servicekit.http import dpop


class InvalidTargetError(OAuth2Error):
    """The requested resource is not served here (RFC 8707 section 2)."""

    error = "invalid_target"


def requested_resource(server: Server, payload: Any) -> str:
    """Return the resource of the request; raise unless it is the served one."""
    try:
        return resources.resolve(payload.datalist.get("resource", []), server.policy.resource)
    except resources.InvalidTarget as error:
        raise InvalidTargetError(f"Tokens are issued for {server.policy.resource} only.") from error


class CodeGrant(AuthorizationCodeGrant):
    """Issue single-use codes, bound to client, redirect, challenge, resource and account."""

    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]  # noqa: RUF012
    server: Server
    consented: tuple[str, ...] = ()
    """The scopes that the user was shown and has approved."""
    member_id: str | None = None
    """The person who has approved, when the account is an organisation's."""

    @staticmethod
    def validate_authorization_redirect_uri(request: Any, client: Any) -> str:
        uri = request.payload.redirect_uri or client.get_default_redirect_uri()
        if not uri:
            raise InvalidRequestError("redirect_uri is missing.")
        if not client.check_redirect_uri(uri):
            raise InvalidRequestError("This redirect_uri is not registered for the client.")
        return uri

    def validate_authorization_request(self) -> str:
        redirect_uri = super().validate_authorization_request()
        data = self.request.payload.data
        try:
            self.request.payload.refuse_repeats()
            self._check_challenge(data)
            self._check_thumbprint(data)
            self.resource = requested_resource(self.server, self.request.payload)
        except OAuth2Error as error:
            error.redirect_uri = redirect_uri
            raise
        return redirect_uri

    @staticmethod
    def _check_challenge(data: dict[str, str]) -> None:
        if not pkce.is_challenge(data.get("code_challenge"), data.get("code_challenge_method")):
            raise InvalidRequestError(
                "PKCE is required: send code_challenge and code_challenge_method=S256."
            )

    @staticmethod
    def _check_thumbprint(data: dict[str, str]) -> None:
        """Validate `dpop_jkt` (RFC 9449 section 10)."""
        thumbprint = data.get("dpop_jkt")
        if thumbprint is not None and not dpop.is_thumbprint(thumbprint):
            raise InvalidRequestError("dpop_jkt must be the SHA-256 thumbprint of a key.")

    def create_authorization_response(self, redirect_uri: str, grant_user: str | None) -> Any:
        if grant_user is None:
            raise AccessDeniedError(redirect_uri=redirect_uri)
        return super().create_authorization_response(redirect_uri, grant_user)

    def save_authorization_code(self, code: str, request: Any) -> None:
        authorization = Authorization(
            client_id=request.client.get_client_id(),
            account_id=request.user,
            scopes=tuple(s for s in scopes.parse(request.scope) if s in self.consented),
            resource=self.resource,
            member_id=self.member_id,
        )
        self.server.store.save_code(
            secrets.sha256(code),
            AuthorizationCode(
                authorization=authorization,
                redirect_uri=self.redirect_uri,
                challenge=request.payload.data["code_challenge"],
                expires_at=self.server.now + self.server.policy.code_lifetime,
                thumbprint=request.payload.data.get("dpop_jkt"),
            ),
        )

    def validate_token_request(self) -> None:
        payload = self.request.payload
        payload.refuse_repeats()
        client = self.authenticate_token_endpoint_client()
        if not client.check_grant_type(self.GRANT_TYPE):
            raise UnauthorizedClientError("This client may not use authorization codes.")
        code = payload.data.get("code")
        if not code:
            raise InvalidRequestError("code is missing.")
        self.request.client = client
        self.code_hash = secrets.sha256(code)
        self.code = self._claim(client)
        requested = requested_resource(self.server, payload)
        if requested != self.code.authorization.resource:
            raise InvalidTargetError("The code was issued for another resource.")

    def _claim(self, client: Any) -> AuthorizationCode:
        """Return the code to the first bearer that the code was issued to; raise for all others."""
        server = self.server
        code = server.store.claim_code(self.code_hash, server.now)
        if code is None:
            raise InvalidGrantError("The code is unknown.")
        is_rightful = self._is_rightful(code, client)
        if code.used_at is not None:
            within_grace = server.now - code.used_at <= server.policy.grace
            if code.grant_id and not (is_rightful and within_grace):
                server.store.revoke_grant(code.grant_id, "code_replayed", server.now)
            raise InvalidGrantError("The code was used before.")
        if not is_rightful:
            raise InvalidGrantError(
                "The code does not belong to this client, redirect_uri, code_verifier or DPoP key."
            )
        if server.now >= code.expires_at:
            raise InvalidGrantError("The code has expired.")
        return code

    def _is_rightful(self, code: AuthorizationCode, client: Any) -> bool:
        data = self.request.payload.data
        return (
            code.authorization.client_id == client.get_client_id()
            and data.get("redirect_uri", code.redirect_uri) == code.redirect_uri
            and pkce.proves(data.get("code_verifier"), code.challenge)
            and code.thumbprint in (None, self.server.thumbprint)
        )

    def create_token_response(self) -> Any:
        server, authorization = self.server, self.code.authorization
        if not server.store.account_is_active(authorization.account_id, authorization.member_id):
            raise InvalidGrantError("The account is gone or disabled.")
        grant = server.open_grant(authorization)
        server.store.link_code(self.code_hash, grant.grant_id)
        refresh = None
        if self.request.client.check_grant_type("refresh_token"):
            refresh = server.add_first_refresh_token(grant)
        server.store.record_event(
            "token_issued", authorization.account_id, grant.grant_id, server.now
        )
        return (
            200,
            server.token_response(grant, authorization.scopes, refresh),
            self.TOKEN_RESPONSE_HEADER,
        )
