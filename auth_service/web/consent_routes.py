"""The authorization endpoint with its consent page (RFC 6749 section 4.1)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from auth_service.domain.oauth import redirects, scopes
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.ports import OAuthStore
from auth_service.domain.oauth.vouching import Vouching, vouching
from auth_service.domain.organisations.model import no_member
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import consents
from auth_service.domain.site.applications import Parameters
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.ports import PendingConsent
from auth_service.oauth import endpoints, requests
from auth_service.oauth.requests import OAuthResponse
from auth_service.oauth.server import Environment
from auth_service.web.page_request import Audience, PageRequest, get_without_deadline, post
from auth_service.web.site import Site
from servicekit.errors import ResourceExhausted

PATH: Final = "/oauth/authorize"
_REQUESTS: Final = RateLimit("authorize", 300, 60)
_MAX_OPEN_PAGES: Final = 200
_OPEN_PAGES_WINDOW_SECONDS: Final = 900


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """A valid authorization request, to be shown on the consent page."""

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
    """Return the authorization endpoint, with its fallback of MCP 2025-03-26, and the decision."""
    return [
        get_without_deadline(site, PATH, _authorize),
        get_without_deadline(site, "/authorize", _authorize),
        post(site, f"{PATH}/decision", _decide, Audience.VISITOR),
    ]


async def _authorize(page: PageRequest) -> Response:
    await _limit_requests(page)
    parameters = page.request.query_params.multi_items()
    opened_uri = await _open_pushed_request(page, parameters)
    if opened_uri is not None:
        parameters_of_browser = {
            "client_id": page.request.query_params["client_id"],
            "request_uri": opened_uri,
        }
        return page.redirect(f"{PATH}?{urlencode(parameters_of_browser)}")
    consent_request = await _validate(page, parameters)
    if isinstance(consent_request, OAuthResponse):
        # Before login, too: nobody should sign up for a request that fails.
        return await _report_failure(page, consent_request, parameters)
    if page.visitor is None:
        current_url = f"{PATH}?{urlencode(parameters)}"
        return page.redirect(f"/login?next={quote(current_url, safe='')}")
    return await _request_consent(page, page.visitor, consent_request)


async def _request_consent(
    page: PageRequest, visitor: Visitor, consent_request: ConsentRequest
) -> Response:
    """Show the consent page with the scopes that the visitor's plan has, unless consent was given."""
    plan = page.site.account_service.plan(visitor)
    offered = scopes.within(consent_request.scopes, plan.scopes)
    if not offered:
        return await _refuse_by_plan(page, consent_request, plan.name)
    consent_request = replace(consent_request, scopes=offered)
    applications = page.site.applications
    remembered = await applications.is_remembered(visitor, consent_request.fingerprint)
    if remembered and "consent" not in consent_request.prompt.split():
        return await _complete(page, consent_request, approved=True)
    await _limit_pages(page)
    days = page.site.oauth.environment().policy.grant_lifetime.days
    return page.render(
        "consent.html",
        leaves_site=True,
        request=await applications.add_pending_consent(
            visitor,
            PendingConsent(consent_request.parameters, offered, visitor.subject.account_id),
        ),
        client=consents.displayed_client(
            consent_request.client, consent_request.vouching, consent_request.redirect_uri
        ),
        displayed_scopes=consents.displayed_scopes(offered),
        resource=consent_request.resource,
        lifetime=f"you end it, at most {days} days",
        next=f"{PATH}?{urlencode(consent_request.parameters)}",
    )


async def _limit_requests(page: PageRequest) -> None:
    """Limit requests by network: they need no login and cost a transaction, or even a fetch."""
    await _REQUESTS.check(page.site.oauth.throttle, page.origin.network)


async def _open_pushed_request(page: PageRequest, parameters: Parameters) -> str | None:
    """Return the browser's own `request_uri` for a pushed request that it is the first to open."""
    if not any(name == "request_uri" for name, _ in parameters):
        return None

    def open_request(environment: Environment, store: OAuthStore) -> str | None:
        return endpoints.open_request(environment, store, _request(parameters))

    return await _in_transaction(page, parameters, open_request)


async def _limit_pages(page: PageRequest) -> None:
    """Limit the open consent pages of an account, as each is stored until decided or expired."""
    key = f"consent:{page.required_visitor.account.account_id}"
    wait = await page.site.oauth.throttle.admit(key, _MAX_OPEN_PAGES, _OPEN_PAGES_WINDOW_SECONDS)
    if wait is not None:
        raise ResourceExhausted("Too many applications at once. Try again later.", retry_after=wait)


async def _decide(page: PageRequest) -> Response:
    consent = await page.site.applications.redeem_pending_consent(
        page.required_visitor, page.value("request")
    )
    if consent is None or consent.account_id != page.required_visitor.subject.account_id:
        return page.render_message(
            "This page has expired",
            "It was answered before, is older than a quarter of an hour, or belongs to another "
            "session. Start again in the application.",
            403,
        )
    consent_request = await _validate(page, consent.parameters)
    if isinstance(consent_request, OAuthResponse):
        return await _report_failure(page, consent_request, consent.parameters)
    # What the page has shown: the account's plan may be another by now.
    consent_request = replace(consent_request, scopes=consent.scopes)
    return await _complete(page, consent_request, approved=page.value("decision") == "approve")


async def _refuse_by_plan(
    page: PageRequest, consent_request: ConsentRequest, plan_name: str
) -> Response:
    """Show that the plan has nothing of what is requested, and the way back to the client."""
    refused = await _decision(page, consent_request, None)
    if refused.location is None:
        return _error_page(page, refused)
    return page.render(
        "message.html",
        403,
        heading="Your plan does not include this",
        text=f"{consent_request.client.metadata.client_name} asks for something that the plan "
        f"{plan_name} does not have: {_sentences(scopes.of_plans(consent_request.scopes))}",
        link=("/plans", "See the plans"),
        way_back=(refused.location, f"Go back to {redirects.displayed_host(refused.location)}"),
    )


def _sentences(requested: tuple[str, ...]) -> str:
    return "; ".join(sentence for _, sentence in consents.displayed_scopes(requested)) + "."


async def _complete(
    page: PageRequest, consent_request: ConsentRequest, *, approved: bool
) -> Response:
    account_id = page.required_visitor.subject.account_id
    await page.site.applications.record_decision(
        page.required_visitor,
        consent_request.client.client_id,
        consent_request.fingerprint,
        approved=approved,
    )

    response = await _decision(page, consent_request, account_id if approved else None)
    return (
        _error_page(page, response) if response.location is None else _redirect(response.location)
    )


async def _decision(
    page: PageRequest, consent_request: ConsentRequest, account_id: str | None
) -> OAuthResponse:
    """Return the redirect that tells the client of an approval by an account, or of a denial."""
    member_id = page.required_visitor.member_id

    def decide(environment: Environment, store: OAuthStore) -> OAuthResponse:
        # Otherwise a membership that ends in this moment would make the code impossible to store.
        if account_id and member_id and not store.keeps_membership(account_id, member_id):
            raise no_member()
        request = _request(consent_request.parameters)
        return endpoints.decide(
            environment, store, request, account_id, consent_request.scopes, member_id
        )

    return await _in_transaction(page, consent_request.parameters, decide)


async def _validate(page: PageRequest, parameters: Parameters) -> ConsentRequest | OAuthResponse:
    """Return the request when it is valid, else the response that ends it."""

    def validate(environment: Environment, store: OAuthStore) -> ConsentRequest | OAuthResponse:
        grant = endpoints.consent(environment, store, _request(parameters))
        if isinstance(grant, OAuthResponse):
            return grant
        client: Client = grant.client.client
        return ConsentRequest(
            client=client,
            vouching=vouching(client, environment.policy.known_publishers),
            redirect_uri=grant.redirect_uri,
            scopes=scopes.grantable(scopes.parse(grant.request.payload.scope)),
            resource=grant.resource,
            prompt=grant.request.payload.data.get("prompt", ""),
            parameters=parameters,
        )

    return await _in_transaction(page, parameters, validate)


async def _in_transaction(
    page: PageRequest, parameters: Parameters, operation: Callable[[Environment, OAuthStore], Any]
) -> Any:
    oauth = page.site.oauth
    environment = await oauth.environment_for(requests.Parameters(parameters), page.origin.network)

    def run() -> Any:
        with oauth.transactions() as store:
            return operation(environment, store)

    return await run_in_threadpool(run)


def _request(parameters: Parameters) -> requests.Request:
    return requests.Request("GET", PATH, requests.Parameters(parameters), {})


async def _report_failure(
    page: PageRequest, response: OAuthResponse, parameters: Parameters
) -> Response:
    """Report an invalid request to its client, by redirect only if this person is connected to it.

    Otherwise anyone could register a client, and with a link to an invalid request on this site
    redirect people to any URL (RFC 9700 section 4.11.2).
    """
    location = response.location
    if location is None:
        return _error_page(page, response)
    client_id = requests.Parameters(parameters).data["client_id"]
    visitor = page.visitor
    if visitor is not None and await page.site.applications.is_connected(visitor, client_id):
        return _redirect(location)
    fields = dict(parse_qsl(urlsplit(location).query))
    return page.render(
        "message.html",
        400,
        heading="This application cannot be connected",
        text=f"Its request is wrong: {fields.get('error_description') or fields.get('error', '')} "
        "Nothing was sent to it yet. Go on only if you know where this leads.",
        link=(location, f"Go to {redirects.displayed_host(location)} with this error"),
    )


def _redirect(location: str) -> Response:
    return RedirectResponse(location, 303, {"Cache-Control": "no-store"})


def _error_page(page: PageRequest, response: OAuthResponse) -> Response:
    """Return the page for an error that must not be redirected to the client."""
    body: dict[str, str] = dict(response.body)
    text = body.get("error_description") or body.get("error", "")
    return page.render_message(
        "This application cannot be connected",
        f"{text} Nothing was sent to it. Start again in the application, or contact the developer.",
        400,
    )
