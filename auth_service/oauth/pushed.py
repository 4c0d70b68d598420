"""Pushed authorization requests (RFC 9126).

The client's `request_uri` works once, for the first browser that opens it. That browser is
redirected to a `request_uri` of its own, valid during login and consent until the decision: people
reload the page, and take longer than a `request_uri` may live that others can see.
"""

# Authlib has no types, so members inherited from its classes are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any, Final

from auth_service.domain.oauth import secrets
from auth_service.domain.oauth.model import PushedRequest
from auth_service.oauth._authlib import InvalidRequestError, OAuth2Error
from auth_service.oauth.clients import ASSERTION, AuthlibClient
from auth_service.oauth.possession import proven_key
from auth_service.oauth.requests import OAuthResponse, Parameters, Request
from auth_service.oauth.server import Server

PATH: Final = "/oauth/par"
_PREFIX: Final = "urn:ietf:params:oauth:request_uri:"
_METHODS: Final = ["none", "client_secret_basic", "client_secret_post", ASSERTION]
_AUTHENTICATION: Final = frozenset({"client_secret", "client_assertion", "client_assertion_type"})
_MAX_CHARACTERS: Final = 4096


class InvalidRequestUriError(OAuth2Error):
    """The `request_uri` is unknown, used or expired (RFC 9101 section 6.2)."""

    error = "invalid_request_uri"


def push(server: Server, request: Request) -> OAuthResponse:
    """Validate and store an authorization request; return its `request_uri`."""
    request.payload.refuse_repeats()
    client: AuthlibClient = server.authenticate_client(request, _METHODS, "pushed_request")
    parameters = _parameters(server, request, client.get_client_id())
    _validate(server, Request("GET", request.path, Parameters(parameters), {}))
    uri, policy = _PREFIX + secrets.new_secret(), server.policy
    server.store.push_request(
        secrets.sha256(uri),
        PushedRequest(client.get_client_id(), parameters),
        server.now + policy.pushed_lifetime,
        server.now,
    )
    lifetime = int(policy.pushed_lifetime.total_seconds())
    return OAuthResponse(201, {"request_uri": uri, "expires_in": lifetime}, ())


def _parameters(server: Server, request: Request, client_id: str) -> tuple[tuple[str, str], ...]:
    lists = request.payload.datalist
    if "request_uri" in lists:
        raise InvalidRequestError("A pushed request has no request_uri.")
    pairs = [(name, value) for name, values in lists.items() for value in values]
    if sum(len(name) + len(value) for name, value in pairs) > _MAX_CHARACTERS:
        raise InvalidRequestError(f"A pushed request has at most {_MAX_CHARACTERS} characters.")
    parameters = dict.fromkeys(pair for pair in pairs if pair[0] not in _AUTHENTICATION)
    if request.payload.data.get("client_id", client_id) != client_id:
        raise InvalidRequestError("client_id is not that of the client that authenticated.")
    parameters[("client_id", client_id)] = None
    thumbprint = proven_key(server.store, server.policy.issuer, request, server.now)
    if thumbprint is not None:  # RFC 9449 section 10.1
        if request.payload.data.get("dpop_jkt", thumbprint) != thumbprint:
            raise InvalidRequestError("dpop_jkt is not the key of the DPoP proof.")
        parameters[("dpop_jkt", thumbprint)] = None
    return tuple(parameters)


def _validate(server: Server, request: Request) -> None:
    try:
        server.get_consent_grant(request)
    except OAuth2Error as error:
        error.redirect_uri = error.state = None  # reported in the response, not by a redirect
        raise


def open_request(server: Server, request: Request) -> str | None:
    """Exchange the client's `request_uri` for the browser's own; None unless it is the first use."""
    data = request.payload.data
    uri = _PREFIX + secrets.new_secret()
    is_opened = server.store.open_request(
        secrets.sha256(data.get("request_uri", "")),
        data.get("client_id", ""),
        secrets.sha256(uri),
        server.now,
        server.now + server.policy.opened_lifetime,
    )
    return uri if is_opened else None


def resolve(server: Server, request: Request) -> Request:
    """Return the pushed request that `request` names, ignoring its other parameters, or `request`.

    Raises:
        InvalidRequestUriError: The `request_uri` was not opened for this client, or has expired.
    """
    data = request.payload.data
    if "request_uri" not in data:
        return request
    request.payload.refuse_repeats()
    stored = server.store.opened_request(secrets.sha256(data["request_uri"]), server.now)
    if stored is None or stored.client_id != data.get("client_id"):
        raise InvalidRequestUriError("The request_uri is unknown, was used before, or has expired.")
    return Request(request.method, request.path, Parameters(stored.parameters), {})


def finish(server: Server, request: Request) -> None:
    """Consume the pushed request that `request` names, if it names one.

    Raises:
        InvalidRequestUriError: It was consumed before.
    """
    uri = request.payload.data.get("request_uri")
    if uri is not None and not server.store.finish_request(secrets.sha256(uri)):
        raise InvalidRequestUriError("The request_uri was used before.")


def check_required(grant: Any, request: Request) -> None:
    """Refuse a request that was not pushed, of a client that registered to push all (section 6)."""
    metadata = grant.client.client.metadata
    if metadata.require_pushed_authorization_requests and "request_uri" not in request.payload.data:
        raise InvalidRequestError("This client has registered for pushed requests alone.")
