"""The pages on which people approve a device (RFC 8628 section 3.3)."""

from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.scopes import within
from auth_service.domain.oauth.vouching import vouching
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import consents
from auth_service.domain.site.applications import normalised_code
from auth_service.domain.site.consents import DisplayedClient
from auth_service.domain.site.ports import WaitingDevice
from auth_service.web.page_request import Audience, PageRequest, get, post
from auth_service.web.site import Site
from servicekit.errors import NotFound

_CODES: Final = RateLimit("device", 10, 900)
_DECISIONS: Final = RateLimit("device-decision", 10, 900)


def routes(site: Site) -> list[Route]:
    """Return the routes for code, consent and decision."""
    return [
        get(site, "/device", _show_form, Audience.VISITOR),
        post(site, "/device", _show_consent, Audience.VISITOR),
        post(site, "/device/decision", _decide, Audience.VISITOR),
    ]


async def _show_form(page: PageRequest) -> Response:
    return page.render("device.html", user_code=page.request.query_params.get("user_code", ""))


async def _show_consent(page: PageRequest) -> Response:
    site, code = page.site, page.value("user_code")
    await _check_rate_limit(page, _CODES)
    device = await site.applications.waiting_device(code)
    if device is None:
        error = "No terminal waits with this code. Check it, or ask the terminal for a new one."
        return page.render("device.html", 404, user_code=code, error=error)
    offered = _offered(page, device)
    if not offered:
        return page.render(
            "message.html",
            403,
            heading="Your plan does not include this",
            text="The terminal asks for more than your plan has.",
            link=("/plans", "See the plans"),
        )
    return page.render(
        "device_consent.html",
        user_code=device.user_code,
        client=await _displayed_client(page, device.client_id),
        displayed_scopes=consents.displayed_scopes(offered),
    )


async def _decide(page: PageRequest) -> Response:
    approved = page.value("decision") == "approve"
    # The form can be sent without the page before it, so codes could be guessed with it too.
    await _check_rate_limit(page, _DECISIONS)
    code = normalised_code(page.value("user_code"))
    applications = page.site.applications
    device = await applications.waiting_device(code)
    # What the page has shown, and no more than the plan has now.
    shown = set(page.values("scope"))
    scopes = [s for s in _offered(page, device) if s in shown] if device is not None else []
    approved = approved and bool(scopes)
    if not await applications.decide_device(
        page.required_visitor, code, approved=approved, scopes=scopes
    ):
        return page.render_message("This code has expired", "Ask the terminal for a new one.", 400)
    if approved:
        return page.render_message("Connected", "Go back to your terminal: it is connected now.")
    return page.render_message("Refused", "The terminal was told that you refused.")


def _offered(page: PageRequest, device: WaitingDevice) -> tuple[str, ...]:
    """Return the scopes that the visitor's plan has of those that the device has requested."""
    plan = page.site.account_service.plan(page.required_visitor)
    return within(device.scopes, plan.scopes)


async def _check_rate_limit(page: PageRequest, limit: RateLimit) -> None:
    """Limit the entered codes: they are short enough to be guessed (RFC 8628 section 5.1)."""
    await limit.check(page.site.oauth.throttle, page.required_visitor.account.account_id)


async def _displayed_client(page: PageRequest, client_id: str) -> DisplayedClient:
    oauth = page.site.oauth

    def find() -> Client | None:
        with oauth.transactions() as store:
            return store.client(client_id)

    client = await oauth.documents.find(client_id, page.origin.network)
    client = client or await run_in_threadpool(find)
    if client is None:
        raise NotFound("The application that asks is not known any more. Start again in it.")
    known_publishers = oauth.environment().policy.known_publishers
    return consents.displayed_client(client, vouching(client, known_publishers), None)
