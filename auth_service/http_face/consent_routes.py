"""What people see of OAuth: the page that asks for their consent (RFC 6749 section 4.1)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from auth_service.domain.oauth import redirects, scopes
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.ports import OAuthStore
from auth_service.domain.oauth.vouching import Vouching, vouching
from auth_service.domain.site import consents
from auth_service.domain.site.applications import Parameters
from auth_service.domain.throttling import Limit
from auth_service.http_face.site import Site
from auth_service.http_face.visits import Needs, Visit, get, post
from auth_service.oauth import endpoints, requests
from auth_service.oauth.requests import Answer
from auth_service.oauth.server import Environment
from servicekit.errors import ResourceExhausted

PATH: Final = "/oauth/authorize"
_REQUESTS: Final = Limit("authorize", 300, 60)
_PAGES: Final = 200
_PAGES_SECONDS: Final = 900


@dataclass(frozen=True, slots=True)
class Asked:
    """A valid authorization request."""

    client: Client
    vouching: Vouching
    redirect_uri: str
    scopes: tuple[str, ...]
    resource: str
    prompt: str
    parameters: Parameters

    @property
    def fingerprint(self) -> str | None:
        return consents.fingerprint(self.client, self.vouching, self.redirect_uri, self.scopes)


def routes(site: Site) -> list[Route]:
    """The authorization endpoint, also where clients of 2025-03-26 without metadata look for it."""
    return [
        get(site, PATH, _authorize),
        get(site, "/authorize", _authorize),
        post(site, f"{PATH}/decision", _decision, Needs.VISITOR),
    ]


async def _authorize(visit: Visit) -> Response:
    await _limit_requests(visit)
    parameters = visit.request.query_params.multi_items()
    own_uri = await _opened(visit, parameters)
    if own_uri is not None:
        own = {"client_id": visit.request.query_params["client_id"], "request_uri": own_uri}
        return visit.go(f"{PATH}?{urlencode(own)}")
    asked = await _examined(visit, parameters)
    if isinstance(asked, Answer) and asked.location is None:
        return _shown_here(visit, asked)
    if visit.visitor is None:
        here = f"{PATH}?{urlencode(parameters)}"
        return visit.go(f"/login?next={quote(here, safe='')}")
    if isinstance(asked, Answer):
        return await _failed(visit, asked, parameters)
    applications = visit.site.applications
    remembered = await applications.is_remembered(visit.visitor, asked.fingerprint)
    if remembered and "consent" not in asked.prompt.split():
        return await _decided(visit, asked, approved=True)
    await _limit_pages(visit)
    days = visit.site.face.environment().policy.grant_lifetime.days
    return visit.page(
        "consent.html",
        leaves_site=True,
        request=await applications.ask(visit.visitor, asked.parameters),
        client=consents.shown(asked.client, asked.vouching, asked.redirect_uri),
        sentences=consents.sentences(asked.scopes),
        resource=asked.resource,
        lifetime=f"you end it, at most {days} days",
        next=f"{PATH}?{urlencode(asked.parameters)}",
    )


async def _limit_requests(visit: Visit) -> None:
    """A request needs no login, and makes work: a transaction, and sometimes a fetched document."""
    await _REQUESTS.check(visit.site.face.throttle, visit.origin.network)


async def _opened(visit: Visit, parameters: Parameters) -> str | None:
    """The browser's own name for a pushed request that it opens as the first (RFC 9126)."""
    if not any(name == "request_uri" for name, _ in parameters):
        return None

    def open_request(environment: Environment, store: OAuthStore) -> str | None:
        return endpoints.open_request(environment, store, _request(parameters))

    return await _in_transaction(visit, parameters, open_request)


async def _limit_pages(visit: Visit) -> None:
    """Each page that asks is kept until it is answered or too old, so there are only so many."""
    key = f"consent:{visit.who.account.account_id}"
    wait = await visit.site.face.throttle.admit(key, _PAGES, _PAGES_SECONDS)
    if wait is not None:
        raise ResourceExhausted("Too many applications at once. Try again later.", retry_after=wait)


async def _decision(visit: Visit) -> Response:
    parameters = await visit.site.applications.answered(visit.who, visit.value("request"))
    if parameters is None:
        return visit.message(
            "This page has expired",
            "It was answered before, is older than a quarter of an hour, or belongs to another "
            "session. Start again in the application.",
            403,
        )
    asked = await _examined(visit, parameters)
    if isinstance(asked, Answer):
        return await _failed(visit, asked, parameters)
    return await _decided(visit, asked, approved=visit.value("decision") == "approve")


async def _decided(visit: Visit, asked: Asked, *, approved: bool) -> Response:
    account_id = visit.who.account.account_id
    await visit.site.applications.note_decision(
        visit.who, asked.client.client_id, asked.fingerprint, approved=approved
    )

    def decide(environment: Environment, store: OAuthStore) -> Answer:
        return endpoints.decide(
            environment, store, _request(asked.parameters), account_id if approved else None
        )

    answer = await _in_transaction(visit, asked.parameters, decide)
    return _shown_here(visit, answer) if answer.location is None else _redirected(answer.location)


async def _examined(visit: Visit, parameters: Parameters) -> Asked | Answer:
    """The request when it is valid, else the answer that ends it."""

    def examine(environment: Environment, store: OAuthStore) -> Asked | Answer:
        grant = endpoints.consent(environment, store, _request(parameters))
        if isinstance(grant, Answer):
            return grant
        client: Client = grant.client.client
        return Asked(
            client=client,
            vouching=vouching(client, environment.policy.known_publishers),
            redirect_uri=grant.redirect_uri,
            scopes=scopes.grantable(scopes.parse(grant.request.payload.scope)),
            resource=grant.resource,
            prompt=grant.request.payload.data.get("prompt", ""),
            parameters=parameters,
        )

    return await _in_transaction(visit, parameters, examine)


async def _in_transaction(
    visit: Visit, parameters: Parameters, work: Callable[[Environment, OAuthStore], Any]
) -> Any:
    face = visit.site.face
    environment = await face.environment_for(requests.Parameters(parameters), visit.origin.network)

    def run() -> Any:
        with face.transactions() as store:
            return work(environment, store)

    return await run_in_threadpool(run)


def _request(parameters: Parameters) -> requests.Request:
    return requests.Request("GET", PATH, requests.Parameters(parameters), {})


async def _failed(visit: Visit, answer: Answer, parameters: Parameters) -> Response:
    """Tells the client of its wrong request, by a redirect only if it is one that this person uses.

    Else anybody could register a client whose requests are wrong on purpose, and with a link to this
    site lead people wherever that client says (RFC 9700 section 4.11.2).
    """
    location = answer.location
    if location is None:
        return _shown_here(visit, answer)
    client_id = requests.Parameters(parameters).data["client_id"]
    if await visit.site.applications.is_connected(visit.who, client_id):
        return _redirected(location)
    fields = dict(parse_qsl(urlsplit(location).query))
    return visit.page(
        "message.html",
        400,
        heading="This application cannot be connected",
        text=f"Its request is wrong: {fields.get('error_description') or fields.get('error', '')} "
        "Nothing was sent to it yet. Go on only if you know where this leads.",
        link=(location, f"Go to {redirects.displayed_host(location)} with this error"),
    )


def _redirected(location: str) -> Response:
    return RedirectResponse(location, 303, {"Cache-Control": "no-store"})


def _shown_here(visit: Visit, answer: Answer) -> Response:
    """The page for an error of which the client must not be told by a redirect."""
    body: dict[str, str] = dict(answer.body)
    text = body.get("error_description") or body.get("error", "")
    return visit.message(
        "This application cannot be connected",
        f"{text} Nothing was sent to it. Start again in the application, or tell its maker.",
        400,
    )
