"""Login by Google or GitHub."""

import hmac
import json
from typing import Any, Final

from cryptography.fernet import InvalidToken
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from auth_service.domain.addresses import normalised_email
from auth_service.domain.site.providers import Provider, Start
from auth_service.web import code_routes
from auth_service.web.page_request import PageRequest, get_without_deadline
from auth_service.web.site import Site
from servicekit.errors import NotFound, Unauthenticated

_COOKIE: Final = "login"
_SECONDS: Final = 600


def routes(site: Site) -> list[Route]:
    """Return the routes to the provider and back."""
    return [
        get_without_deadline(site, "/login/{provider}", _start),
        get_without_deadline(site, "/login/{provider}/callback", _finish),
    ]


def _provider(page: PageRequest) -> Provider:
    provider = page.site.providers.get(page.request.path_params["provider"])
    if provider is None:
        raise NotFound("There is no such way to log in here.")
    return provider


def _callback(page: PageRequest, provider: Provider) -> str:
    return f"{page.site.site_url}/login/{provider.provider_id}/callback"


async def _start(page: PageRequest) -> Response:
    provider = _provider(page)
    start = provider.start(_callback(page, provider))
    response = RedirectResponse(start.url, 303, {"Cache-Control": "no-store"})
    response.set_cookie(
        _COOKIE,
        _encrypt(page.site, start, page.next_path),
        max_age=_SECONDS,
        path="/login",
        secure=page.site.is_secure,
        httponly=True,
        samesite="lax",
    )
    return response


async def _finish(page: PageRequest) -> Response:
    provider, query = _provider(page), page.request.query_params
    pending_login = _decrypt(page.site, page.request.cookies.get(_COOKIE, ""))
    returned_state = query.get("state", "").encode()
    if pending_login is None or not hmac.compare_digest(
        pending_login["state"].encode(), returned_state
    ):
        raise Unauthenticated("This login was not begun here, or too long ago. Try again.")
    if "code" not in query:
        raise Unauthenticated(f"{provider.label} did not log you in.")
    identity = await provider.finish(
        _callback(page, provider), query["code"], pending_login["verifier"]
    )
    following = pending_login["following"]
    result = await page.site.login_service.log_in_by(identity, following, page.origin)
    if result.needs_code:
        response = code_routes.request_code(page, result.secret)
    else:
        address = normalised_email(identity.email)
        response = await code_routes.logged_in(page, result.secret, address, following)
    response.delete_cookie(_COOKIE, path="/login")
    return response


def _encrypt(site: Site, start: Start, following: str) -> str:
    content = {"state": start.state, "verifier": start.verifier, "following": following}
    return site.cookies.encrypt(json.dumps(content).encode()).decode()


def _decrypt(site: Site, cookie: str) -> dict[str, Any] | None:
    try:
        return json.loads(site.cookies.decrypt(cookie.encode(), ttl=_SECONDS))
    except (InvalidToken, ValueError):
        return None
