"""The OAuth endpoints for programs: metadata, keys, token, registration, revocation and others.

The endpoint for people, with the consent page, is in `consent_routes`.
"""

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router

from auth_service.domain.oauth.ports import DocumentClients, OAuthStore, OAuthTransactions
from auth_service.domain.oauth.registration import (
    ClientMetadata,
    parse_client_metadata,
    refuse_unknown_scopes,
)
from auth_service.domain.oauth.registration_limits import RegistrationLimits
from auth_service.domain.ports import Throttle
from auth_service.domain.rate_limits import RateLimit, TooManyAttempts, network_of
from auth_service.oauth import endpoints, metadata, registration, requests
from auth_service.oauth.requests import OAuthResponse
from auth_service.oauth.server import Environment
from auth_service.web import bodies
from servicekit.errors import InvalidInput, ResourceExhausted, Unavailable
from servicekit.http.delay_seconds import delay_seconds

T = TypeVar("T")
Endpoint = Callable[[Environment, OAuthStore, requests.Request], OAuthResponse]
Handler = Callable[[Request], Awaitable[Response]]

NO_STORE: Final = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_CORS: Final = Middleware(
    CORSMiddleware,
    allow_origins=["*"],
    allow_methods=["GET", "POST", "OPTIONS"],
    allow_headers=["Authorization", "Content-Type", "Accept", "DPoP", "MCP-Protocol-Version"],
    expose_headers=["WWW-Authenticate", "Retry-After"],
    max_age=86_400,
)
_TOKEN_REQUESTS: Final = RateLimit("token", 600, 60)
_PUSHED_REQUESTS: Final = RateLimit("par", 300, 60)


@dataclass(frozen=True, slots=True)
class OAuthDependencies:
    """The dependencies of the routes. `environment` is called for each request, as keys rotate."""

    environment: Callable[[], Environment]
    transactions: OAuthTransactions
    documents: DocumentClients
    throttle: Throttle

    async def environment_for(self, parameters: requests.Parameters, network: str) -> Environment:
        """Return the environment of a request, with the client if its id is a document's URL.

        Raises:
            ResourceExhausted: Too many documents for this network.
            Unavailable: The client's document cannot be read now.
        """
        document = await self.documents.find(parameters.data.get("client_id", ""), network)
        return replace(self.environment(), document=document)


def routes(oauth: OAuthDependencies) -> list[BaseRoute]:
    """Return the routes under `/oauth` and their well-known names."""

    def post(path: str, endpoint: Endpoint, limit: RateLimit = _TOKEN_REQUESTS) -> Route:
        handler = functools.partial(_serve_form, oauth, endpoint, limit)
        return Route(path, handler, methods=["POST"])

    well_known = functools.partial(_metadata, oauth)
    return [
        _mount(
            "/.well-known",
            Route("/oauth-authorization-server", well_known),
            Route("/openid-configuration", well_known),
        ),
        _mount(
            "/oauth",
            Route("/jwks.json", functools.partial(_jwks, oauth)),
            Route("/register", functools.partial(_register, oauth), methods=["POST"]),
            post("/token", endpoints.token),
            post("/par", endpoints.push, _PUSHED_REQUESTS),
            post("/revoke", endpoints.revoke),
            post("/introspect", endpoints.introspect),
            post("/device_authorization", endpoints.device_authorization),
        ),
        *_fallbacks(oauth),
    ]


def _mount(path: str, *routes: Route) -> Mount:
    # A trailing slash is a 404: Starlette's redirect would send the form on to whatever host
    # the request names.
    router = Router(routes, redirect_slashes=False)
    return Mount(path, router, middleware=[_CORS])


def _fallbacks(oauth: OAuthDependencies) -> list[BaseRoute]:
    """Return the routes that clients of MCP 2025-03-26 use when they find no metadata."""
    methods = ["POST", "OPTIONS"]
    token = functools.partial(_serve_form, oauth, endpoints.token, _TOKEN_REQUESTS)
    register = functools.partial(_register, oauth)
    return [
        Route("/token", token, methods=methods, middleware=[_CORS]),
        Route("/register", register, methods=methods, middleware=[_CORS]),
    ]


async def _metadata(oauth: OAuthDependencies, _request: Request) -> Response:
    document = metadata.authorization_server(oauth.environment().policy)
    return JSONResponse(document, headers={"Cache-Control": "public, max-age=300"})


async def _jwks(oauth: OAuthDependencies, _request: Request) -> Response:
    jwks = oauth.environment().keys.jwks()
    return JSONResponse(jwks, headers={"Cache-Control": "public, max-age=300"})


async def _serve_form(
    oauth: OAuthDependencies, endpoint: Endpoint, limit: RateLimit, request: Request
) -> Response:
    network = network_of(_address(request))
    wait = await limit.wait(oauth.throttle, network)
    if wait is not None:
        return _too_many_requests(wait)
    try:
        parameters = requests.Parameters(await bodies.form(request))
        environment = await oauth.environment_for(parameters, network)
    except InvalidInput as error:
        return _invalid_request(error)
    except (ResourceExhausted, Unavailable) as error:
        return _unavailable(error)
    oauth_request = requests.Request("POST", request.url.path, parameters, request.headers)

    def run() -> OAuthResponse:
        with oauth.transactions() as store:
            return endpoint(environment, store, oauth_request)

    return _response(await run_in_threadpool(run))


async def _register(oauth: OAuthDependencies, request: Request) -> Response:
    limits, address = RegistrationLimits(oauth.throttle), _address(request)
    try:
        await limits.check(address)
        document = await bodies.json_object(request)
        metadata = parse_client_metadata(document)
        refuse_unknown_scopes(document)
        known = await _run_registration(oauth, registration.find, metadata)
        if known is not None:
            return _response(known)
        await limits.check_new(address)
    except InvalidInput as error:
        return _invalid_request(error)
    except TooManyAttempts as error:
        return _too_many_requests(error.retry_after or 1)
    return _response(await _run_registration(oauth, registration.register, metadata))


async def _run_registration(
    oauth: OAuthDependencies,
    step: Callable[[OAuthStore, ClientMetadata, Any], T],
    metadata: ClientMetadata,
) -> T:
    def run() -> T:
        with oauth.transactions() as store:
            return step(store, metadata, oauth.environment().now())

    return await run_in_threadpool(run)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _response(response: OAuthResponse) -> Response:
    headers = {**dict(response.headers), **NO_STORE}
    headers.pop("Content-Type", None)
    if response.status == 401:
        headers.setdefault("WWW-Authenticate", 'Basic realm="oauth"')
    return JSONResponse(_as_object(response.body), response.status, headers)


def _as_object(body: Any) -> Any:
    return dict(body) if isinstance(body, list) else body  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _invalid_request(error: InvalidInput) -> Response:
    body = {"error": error.reason, "error_description": error.public_message}
    return JSONResponse(body, 400, NO_STORE)


def _unavailable(error: ResourceExhausted | Unavailable) -> Response:
    body = {"error": "temporarily_unavailable", "error_description": error.public_message}
    status = 429 if isinstance(error, ResourceExhausted) else 503
    wait = str(delay_seconds(error.retry_after or 1))
    return JSONResponse(body, status, {**NO_STORE, "Retry-After": wait})


def _too_many_requests(wait: float) -> Response:
    body = {
        "error": "temporarily_unavailable",
        "error_description": "Too many requests; try again after the time in Retry-After.",
    }
    return JSONResponse(body, 429, {**NO_STORE, "Retry-After": str(delay_seconds(wait))})
