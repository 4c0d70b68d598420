"""The pages on which people let a terminal in (RFC 8628 section 3.3)."""

from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.vouching import vouching
from auth_service.domain.site import consents
from auth_service.domain.site.applications import normalised_code
from auth_service.domain.site.consents import ShownClient
from auth_service.domain.throttling import Limit
from auth_service.http_face.site import Site
from auth_service.http_face.visits import Needs, Visit, get, post
from servicekit.errors import NotFound

_CODES: Final = Limit("device", 10, 900)
_DECISIONS: Final = Limit("device-decision", 10, 900)


def routes(site: Site) -> list[Route]:
    """Code, consent, decision."""
    return [
        get(site, "/device", _form, Needs.VISITOR),
        post(site, "/device", _ask, Needs.VISITOR),
        post(site, "/device/decision", _decision, Needs.VISITOR),
    ]


async def _form(visit: Visit) -> Response:
    return visit.page("device.html", user_code=visit.request.query_params.get("user_code", ""))


async def _ask(visit: Visit) -> Response:
    site, code = visit.site, visit.value("user_code")
    await _check(visit, _CODES)
    device = await site.applications.waiting_device(code)
    if device is None:
        error = "No terminal waits with this code. Check it, or ask the terminal for a new one."
        return visit.page("device.html", 404, user_code=code, error=error)
    return visit.page(
        "device_consent.html",
        user_code=device.user_code,
        client=await _shown_client(visit, device.client_id),
        sentences=consents.sentences(device.scopes),
    )


async def _decision(visit: Visit) -> Response:
    approved = visit.value("decision") == "approve"
    # The form can be sent without the page before it, so it is as good for guessing.
    await _check(visit, _DECISIONS)
    code = normalised_code(visit.value("user_code"))
    if not await visit.site.applications.decide_device(visit.who, code, approved=approved):
        return visit.message("This code has expired", "Ask the terminal for a new one.", 400)
    if approved:
        return visit.message("Connected", "Go back to your terminal: it is connected now.")
    return visit.message("Refused", "The terminal was told that you refused.")


async def _check(visit: Visit, limit: Limit) -> None:
    """Codes are short: without a limit they could be guessed (RFC 8628 section 5.1)."""
    await limit.check(visit.site.face.throttle, visit.who.account.account_id)


async def _shown_client(visit: Visit, client_id: str) -> ShownClient:
    face = visit.site.face

    def find() -> Client | None:
        with face.transactions() as store:
            return store.client(client_id)

    client = await face.documents.find(client_id, visit.origin.network)
    client = client or await run_in_threadpool(find)
    if client is None:
        raise NotFound("The application that asks is not known any more. Start again in it.")
    known_publishers = face.environment().policy.known_publishers
    return consents.shown(client, vouching(client, known_publishers), None)
