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
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import consents
from auth_service.domain.site.applications import Parameters
from auth_service.oauth import endpoints, requests
from auth_service.oauth.requests import Answer
from auth_service.oauth.server import Environment
from auth_service.web.page_request import Needs, PageRequest, get, post
from auth_service.web.site import Site
from servicekit.errors import ResourceExhausted

PATH: Final = "/oauth/authorize"
_REQUESTS: Final = RateLimit("authorize", 300, 60)
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


async def _authorize(page: PageRequest) -> Response:
    await _limit_requests(page)
    parameters = page.request.query_params.multi_items()
    own_uri = await _opened(page, parameters)
    if own_uri is not None:
        own = {"client_id": page.request.query_params["client_id"], "request_uri": own_uri}
        return page.go(f"{PATH}?{urlencode(own)}")
    asked = await _examined(page, parameters)
    if isinstance(asked, Answer) and asked.location is None:
        return _shown_here(page, asked)
    if page.visitor is None:
        here = f"{PATH}?{urlencode(parameters)}"
        return page.go(f"/login?next={quote(here, safe='')}")
    if isinstance(asked, Answer):
        return await _failed(page, asked, parameters)
    applications = page.site.applications
    remembered = await applications.is_remembered(page.visitor, asked.fingerprint)
    if remembered and "consent" not in asked.prompt.split():
        return await _decided(page, asked, approved=True)
    await _limit_pages(page)
    days = page.site.face.environment().policy.grant_lifetime.days
    return page.page(
        "consent.html",
        leaves_site=True,
        request=await applications.ask(page.visitor, asked.parameters),
        client=consents.shown(asked.client, asked.vouching, asked.redirect_uri),
        scope_descriptions=consents.scope_descriptions(asked.scopes),
        resource=asked.resource,
        lifetime=f"you end it, at most {days} days",
        next=f"{PATH}?{urlencode(asked.parameters)}",
    )


async def _limit_requests(page: PageRequest) -> None:
    """A request needs no login, and makes work: a transaction, and sometimes a fetched document."""
    await _REQUESTS.check(page.site.face.throttle, page.origin.network)


async def _opened(page: PageRequest, parameters: Parameters) -> str | None:
    """The browser's own name for a pushed request that it opens as the first (RFC 9126)."""
    if not any(name == "request_uri" for name, _ in parameters):
        return None

    def open_request(environment: Environment, store: OAuthStore) -> str | None:
        return endpoints.open_request(environment, store, _request(parameters))

    return await _in_transaction(page, parameters, open_request)


async def _limit_pages(page: PageRequest) -> None:
    """Each page that asks is kept until it is answered or too old, so there are only so many."""
    key = f"consent:{page.who.account.account_id}"
    wait = await page.site.face.throttle.admit(key, _PAGES, _PAGES_SECONDS)
    if wait is not None:
        raise ResourceExhausted("Too many applications at once. Try again later.", retry_after=wait)


async def _decision(page: PageRequest) -> Response:
    parameters = await page.site.applications.answered(page.who, page.value("request"))
    if parameters is None:
        return page.message(
            "This page has expired",
            "It was answered before, is older than a quarter of an hour, or belongs to another "
            "session. Start again in the application.",
            403,
        )
    asked = await _examined(page, parameters)
    if isinstance(asked, Answer):
        return await _failed(page, asked, parameters)
    return await _decided(page, asked, approved=page.value("decision") == "approve")


async def _decided(page: PageRequest, asked: Asked, *, approved: bool) -> Response:
    account_id = page.who.account.account_id
    await page.site.applications.record_decision(
        page.who, asked.client.client_id, asked.fingerprint, approved=approved
    )

    def decide(environment: Environment, store: OAuthStore) -> Answer:
        return endpoints.decide(
            environment, store, _request(asked.parameters), account_id if approved else None
        )

    answer = await _in_transaction(page, asked.parameters, decide)
    return _shown_here(page, answer) if answer.location is None else _redirected(answer.location)


async def _examined(page: PageRequest, parameters: Parameters) -> Asked | Answer:
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

    return await _in_transaction(page, parameters, examine)


async def _in_transaction(
    page: PageRequest, parameters: Parameters, work: Callable[[Environment, OAuthStore], Any]
) -> Any:
    face = page.site.face
    environment = await face.environment_for(requests.Parameters(parameters), page.origin.network)

    def run() -> Any:
        with face.transactions() as store:
            return work(environment, store)

    return await run_in_threadpool(run)


def _request(parameters: Parameters) -> requests.Request:
    return requests.Request("GET", PATH, requests.Parameters(parameters), {})


async def _failed(page: PageRequest, answer: Answer, parameters: Parameters) -> Response:
    """Tells the client of its wrong request, by a redirect only if it is one that this person uses.

    Else anybody could register a client whose requests are wrong on purpose, and with a link to this
    site lead people wherever that client says (RFC 9700 section 4.11.2).
    """
    location = answer.location
    if location is None:
        return _shown_here(page, answer)
    client_id = requests.Parameters(parameters).data["client_id"]
    if await page.site.applications.is_connected(page.who, client_id):
        return _redirected(location)
    fields = dict(parse_qsl(urlsplit(location).query))
    return page.page(
        "message.html",
        400,
        heading="This application cannot be connected",
        text=f"Its request is wrong: {fields.get('error_description') or fields.get('error', '')} "
        "Nothing was sent to it yet. Go on only if you know where this leads.",
        link=(location, f"Go to {redirects.displayed_host(location)} with this error"),
    )


def _redirected(location: str) -> Response:
    return RedirectResponse(location, 303, {"Cache-Control": "no-store"})


def _shown_here(page: PageRequest, answer: Answer) -> Response:
    """The page for an error of which the client must not be told by a redirect."""
    body: dict[str, str] = dict(answer.body)
    text = body.get("error_description") or body.get("error", "")
    return page.message(
        "This application cannot be connected",
        f"{text} Nothing was sent to it. Start again in the application, or tell its maker.",
        400,
    )
