"""The OAuth endpoints as functions of a store and a request that return a response."""

# Authlib has no types, so members inherited from its classes are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

from auth_service.domain.oauth.ports import OAuthStore
from auth_service.oauth import pushed
from auth_service.oauth._authlib import InvalidClientError, OAuth2Error, add_params_to_uri
from auth_service.oauth.authorization_code import CodeGrant
from auth_service.oauth.clients import ASSERTION
from auth_service.oauth.device import DeviceEndpoint, DeviceGrant
from auth_service.oauth.machine import MachineGrant, SignedAssertion
from auth_service.oauth.refresh import RotatingRefreshGrant
from auth_service.oauth.requests import OAuthResponse, Request
from auth_service.oauth.server import Environment, Server, error_response
from auth_service.oauth.tokens import Introspection, Revocation


def open_server(environment: Environment, store: OAuthStore) -> Server:
    """Return an Authlib server with all grants and endpoints of this service."""
    server = Server(environment, store)
    for grant in (CodeGrant, RotatingRefreshGrant, DeviceGrant, MachineGrant):
        server.register_grant(grant)
    for endpoint in (Revocation, Introspection, DeviceEndpoint):
        server.register_endpoint(endpoint)
    server.register_client_auth_method(ASSERTION, SignedAssertion(server))
    return server


def token(environment: Environment, store: OAuthStore, request: Request) -> OAuthResponse:
    """Serve the token endpoint (RFC 6749 section 3.2)."""
    return open_server(environment, store).create_token_response(request)


def revoke(environment: Environment, store: OAuthStore, request: Request) -> OAuthResponse:
    """Serve the revocation endpoint (RFC 7009 section 2.1)."""
    return _endpoint("revocation", environment, store, request)


def introspect(environment: Environment, store: OAuthStore, request: Request) -> OAuthResponse:
    """Serve the introspection endpoint (RFC 7662 section 2.1)."""
    return _endpoint("introspection", environment, store, request)


def device_authorization(
    environment: Environment, store: OAuthStore, request: Request
) -> OAuthResponse:
    """Serve the device authorization endpoint (RFC 8628 section 3.1)."""
    return _endpoint("device_authorization", environment, store, request)


def _endpoint(
    name: str, environment: Environment, store: OAuthStore, request: Request
) -> OAuthResponse:
    return open_server(environment, store).create_endpoint_response(name, request)


def push(environment: Environment, store: OAuthStore, request: Request) -> OAuthResponse:
    """Serve the pushed authorization request endpoint (RFC 9126 section 2)."""
    try:
        return pushed.push(open_server(environment, store), request)
    except OAuth2Error as error:
        return error_response(error)


def open_request(environment: Environment, store: OAuthStore, request: Request) -> str | None:
    """Return the browser's own `request_uri` in exchange for the client's; see `pushed`."""
    return pushed.open_request(open_server(environment, store), request)


def consent(environment: Environment, store: OAuthStore, request: Request) -> Any:
    """Return the validated grant for the consent page, or the response that ends the request.

    Errors found before the redirect URI is validated are shown here and never redirected (RFC 6749
    section 4.1.2.1).
    """
    server = open_server(environment, store)
    try:
        grant = server.get_consent_grant(pushed.resolve(server, request))
        pushed.check_required(grant, request)
    except OAuth2Error as error:
        return _failure_response(environment, error)
    return grant


def decide(
    environment: Environment,
    store: OAuthStore,
    request: Request,
    account_id: str | None,
    consented: tuple[str, ...] = (),
    member_id: str | None = None,
) -> OAuthResponse:
    """Return the redirect with a code for `account_id`, or with access_denied when that is None.

    The code is good for those of the requested scopes that the account's owner has consented to, or
    the member `member_id` of the organisation whose account it is.
    """
    server = open_server(environment, store)
    try:
        requested = pushed.resolve(server, request)
        grant = server.get_consent_grant(requested)
        pushed.check_required(grant, request)
        pushed.finish(server, request)
        grant.consented, grant.member_id = consented, member_id
        response = server.create_authorization_response(requested, account_id, grant)
    except OAuth2Error as error:
        return _failure_response(environment, error)
    return add_issuer(environment, response)


def _failure_response(environment: Environment, error: Any) -> OAuthResponse:
    if isinstance(error, InvalidClientError):
        error.redirect_uri = None
    return add_issuer(environment, error_response(error))


def add_issuer(environment: Environment, response: OAuthResponse) -> OAuthResponse:
    """Return the response with `iss` in its redirect, success or error (RFC 9207 section 2)."""
    location = response.location
    if location is None:
        return response
    issued = add_params_to_uri(location, [("iss", environment.policy.issuer)])
    headers = tuple(h for h in response.headers if h[0] != "Location")
    return OAuthResponse(response.status, response.body, (*headers, ("Location", issued)))
