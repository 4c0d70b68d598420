"""Authlib's authorization server on one transaction: clients, grants and tokens."""

# Authlib has no types, so members inherited from its classes are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from auth_service.domain.oauth import scopes, secrets, signing
from auth_service.domain.oauth.model import Authorization, Client, Grant, StoredRefreshToken
from auth_service.domain.oauth.ports import OAuthStore
from auth_service.oauth._authlib import AuthorizationServer, InvalidClientError, InvalidScopeError
from auth_service.oauth.clients import AuthlibClient
from auth_service.oauth.policy import Policy
from auth_service.oauth.possession import InvalidProofError, proven_key
from auth_service.oauth.requests import OAuthResponse, Request


@dataclass(frozen=True, slots=True)
class Environment:
    """The context of a request, in addition to its store.

    `document` is the client of the request if its id is a document's URL. It is fetched before the
    store is opened: an unresponsive site must not block a transaction.
    """

    policy: Policy
    keys: signing.SigningKeys
    now: Callable[[], datetime]
    document: Client | None = None


class Server(AuthorizationServer):
    """Authlib's server on one store, created for each request.

    Attributes:
        thumbprint: Thumbprint of the key that access tokens are bound to (RFC 9449).
        refresh_thumbprint: The same for refresh tokens, None for confidential clients, whose
            authentication already binds them (RFC 9449 section 5).
    """

    def __init__(self, environment: Environment, store: OAuthStore) -> None:
        super().__init__()
        self.environment = environment
        self.policy = environment.policy
        self.store = store
        self.now = environment.now()
        self.thumbprint: str | None = None
        self.refresh_thumbprint: str | None = None

    def query_client(self, client_id: str) -> AuthlibClient | None:
        if "\0" in client_id:  # from a header or an assertion; Postgres cannot store it
            return None
        document = self.environment.document
        if document is not None and document.client_id == client_id:
            return AuthlibClient(document)
        client = self.store.client(client_id)
        return AuthlibClient(client) if client else None

    def authenticate_client(self, request: Any, methods: Any, endpoint: str = "token") -> Any:
        try:
            found: Any = super().authenticate_client(request, methods, endpoint)
        except InvalidClientError as error:
            # 401 in every case: hosted clients register again at 401 and give up at 400.
            raise InvalidClientError(error.description, status_code=401) from error
        client = cast("AuthlibClient", found)
        if endpoint == "token":
            self._bind(request, client.client)
        return client

    def _bind(self, request: Request, client: Client) -> None:
        """Bind the tokens of this request to the key that the client proves."""
        thumbprint = proven_key(self.store, self.policy.issuer, request, self.now)
        if thumbprint is None and client.metadata.dpop_bound_access_tokens:
            raise InvalidProofError(
                "This client has registered for bound tokens alone: send a DPoP proof."
            )
        self.thumbprint = thumbprint
        if client.metadata.token_endpoint_auth_method == "none":  # noqa: S105 - a method's name
            self.refresh_thumbprint = thumbprint

    def create_oauth2_request(self, request: Request) -> Request:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> OAuthResponse:
        return OAuthResponse(status, body, tuple(headers))

    def send_signal(self, name: str, *args: object, **kwargs: object) -> None:
        """Ignore Authlib's signals: the store writes the audit log."""

    def validate_requested_scope(self, scope: str | None) -> None:
        """Refuse unknown scopes (RFC 6749 sections 3.3, 4.1.2.1 and 5.2)."""
        reason = scopes.refusal(scope)
        if reason is not None:
            raise InvalidScopeError(reason)

    def open_grant(self, authorization: Authorization) -> Grant:
        """Store and return a new grant, without a refresh token yet."""
        grant = Grant(
            grant_id=secrets.new_id("gr"),
            authorization=authorization,
            created_at=self.now,
            expires_at=self.now + self.policy.grant_lifetime,
            generation=0,
        )
        self.store.add_grant(grant)
        return grant

    def token_response(
        self, grant: Grant, granted: tuple[str, ...], refresh_token: str | None
    ) -> dict[str, Any]:
        """Return the body of a successful token response (RFC 6749 section 5.1)."""
        subject = signing.Subject(
            account_id=grant.authorization.account_id,
            client_id=grant.authorization.client_id,
            grant_id=grant.grant_id,
            scopes=granted,
            resource=grant.authorization.resource,
            thumbprint=self.thumbprint,
        )
        lifetime = self.policy.access_lifetime
        response: dict[str, Any] = {
            "access_token": signing.sign(
                self.environment.keys, self.policy.issuer, subject, self.now, lifetime
            ),
            "token_type": "Bearer" if self.thumbprint is None else "DPoP",
            "expires_in": int(lifetime.total_seconds()),
            "scope": " ".join(granted),
        }
        return response if refresh_token is None else {**response, "refresh_token": refresh_token}

    def add_first_refresh_token(self, grant: Grant) -> str:
        """Store and return the grant's refresh token of generation 0."""
        return self.add_refresh_token(grant, 0)

    def add_refresh_token(self, grant: Grant, generation: int) -> str:
        """Store and return the grant's refresh token of `generation`."""
        token = secrets.refresh_token(self.policy.token_secret, grant.grant_id, generation)
        expires_at = min(self.now + self.policy.refresh_lifetime, grant.expires_at)
        stored = StoredRefreshToken(grant, generation, expires_at, None, self.refresh_thumbprint)
        self.store.add_refresh_token(secrets.sha256(token), stored)
        return token


def error_response(error: Any) -> OAuthResponse:
    """Return an error that is not redirected, as JSON."""
    status, body, headers = error()
    return OAuthResponse(status, body, tuple(headers))
