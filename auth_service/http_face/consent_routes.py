"""What people see of OAuth: the page that asks for their consent (RFC 6749 section 4.1)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from auth_service.domain.oauth import scopes
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.ports import OAuthStore
from auth_service.domain.site import consents
from auth_service.domain.site.applications import Parameters
from auth_service.http_face.oauth_routes import OAuthFace
from auth_service.http_face.site import Site
from auth_service.http_face.visits import Needs, Visit, get, post
from auth_service.oauth import endpoints, requests
from auth_service.oauth.requests import Answer
from servicekit.errors import ResourceExhausted

PATH: Final = "/oauth/authorize"
_PAGES: Final = 200
_PAGES_SECONDS: Final = 900


@dataclass(frozen=True, slots=True)
class Asked:
    """A valid authorization request."""

    client: Client
    redirect_uri: str
    scopes: tuple[str, ...]
    resource: str
    parameters: Parameters

    @property
    def fingerprint(self) -> str | None:
        return consents.fingerprint(self.client, self.redirect_uri, self.scopes)

    @property
    def prompt(self) -> str:
        return dict(self.parameters).get("prompt", "")


def routes(site: Site) -> list[Route]:
    """The authorization endpoint, also where clients of 2025-03-26 without metadata look for it."""
    return [
        get(site, PATH, _authorize),
        get(site, "/authorize", _authorize),
        post(site, f"{PATH}/decision", _decision, Needs.VISITOR),
    ]


async def _authorize(visit: Visit) -> Response:
    asked = await _examined(visit.site.face, visit.request.query_params.multi_items())
    if isinstance(asked, Answer):
        return _ended(visit, asked)
    if visit.visitor is None:
        here = f"{PATH}?{urlencode(asked.parameters)}"
        return visit.go(f"/login?next={quote(here, safe='')}")
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
        client=consents.shown(asked.client, asked.redirect_uri),
        sentences=consents.sentences(asked.scopes),
        resource=asked.resource,
        lifetime=f"you end it, at most {days} days",
        next=f"{PATH}?{urlencode(asked.parameters)}",
    )


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
    asked = await _examined(visit.site.face, parameters)
    if isinstance(asked, Answer):
        return _ended(visit, asked)
    return await _decided(visit, asked, approved=visit.value("decision") == "approve")


async def _decided(visit: Visit, asked: Asked, *, approved: bool) -> Response:
    account_id = visit.who.account.account_id
    await visit.site.applications.note_decision(
        visit.who, asked.client.client_id, asked.fingerprint, approved=approved
    )

    def decide(face: OAuthFace, store: OAuthStore) -> Answer:
        return endpoints.decide(
            face.environment(), store, _request(asked.parameters), account_id if approved else None
        )

    return _ended(visit, await _in_transaction(visit.site.face, decide))


async def _examined(face: OAuthFace, parameters: Parameters) -> Asked | Answer:
    """The request when it is valid, else the answer that ends it."""

    def examine(face: OAuthFace, store: OAuthStore) -> Asked | Answer:
        grant = endpoints.consent(face.environment(), store, _request(parameters))
        if isinstance(grant, Answer):
            return grant
        return Asked(
            client=grant.client.client,
            redirect_uri=grant.redirect_uri,
            scopes=scopes.grantable(scopes.parse(grant.request.payload.scope)),
            resource=grant.resource,
            parameters=parameters,
        )

    return await _in_transaction(face, examine)


async def _in_transaction(face: OAuthFace, work: Callable[[OAuthFace, OAuthStore], Any]) -> Any:
    def run() -> Any:
        with face.transactions() as store:
            return work(face, store)

    return await run_in_threadpool(run)


def _request(parameters: Parameters) -> requests.Request:
    return requests.Request("GET", PATH, requests.Parameters(parameters), {})


def _ended(visit: Visit, answer: Answer) -> Response:
    """The redirect back to the client; for errors that must not be redirected, a page."""
    if answer.location is not None:
        return RedirectResponse(answer.location, 303, {"Cache-Control": "no-store"})
    body: dict[str, str] = dict(answer.body)
    text = body.get("error_description") or body.get("error", "")
    return visit.message(
        "This application cannot be connected",
        f"{text} Nothing was sent to it. Start again in the application, or tell its maker.",
        400,
    )
