"""The second step of a login: the form of the code."""

from typing import Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.two_factor.second_step import LIFETIME, LoginExpired
from auth_service.web.page_request import PageRequest, get, post
from auth_service.web.site import Site
from servicekit.errors import ServiceError

HOME: Final = "/account"
PATH: Final = "/login/code"


def routes(site: Site) -> list[Route]:
    """Return the routes of the form."""
    return [get(site, PATH, _form), post(site, PATH, _complete)]


def request_code(page: PageRequest, secret: str) -> Response:
    """Lead to the form; the secret of the pending login goes into a cookie."""
    response = page.redirect(PATH)
    response.set_cookie(
        _cookie_name(page.site),
        secret,
        max_age=int(LIFETIME.total_seconds()),
        path="/",
        secure=page.site.is_secure,
        httponly=True,
        samesite="lax",
    )
    return response


async def logged_in(page: PageRequest, secret: str, address: str, following: str) -> Response:
    """Replace the session of before by the new one, and lead on."""
    if page.visitor is not None:
        await page.site.login_service.log_out(page.visitor)
    page.log_in(secret)
    page.remember_device(address)
    return page.redirect(following or HOME)


async def _form(page: PageRequest) -> Response:
    if not await page.site.second_step.is_pending(_pending_secret(page), page.origin):
        return page.redirect("/login")
    wants_recovery = "recovery" in page.request.query_params
    return page.render("code.html", leaves_site=True, wants_recovery=wants_recovery)


async def _complete(page: PageRequest) -> Response:
    try:
        done = await page.site.second_step.complete(
            _pending_secret(page), page.value("code"), page.origin
        )
    except LoginExpired as error:
        return page.render_message("Log in again", error.public_message, 401)
    except ServiceError as error:
        wants_recovery = bool(page.value("recovery"))
        return page.render_failure(
            "code.html", error, leaves_site=True, wants_recovery=wants_recovery
        )
    page.cookies[_cookie_name(page.site)] = None
    return await logged_in(page, done.secret, done.address, done.following)


def _pending_secret(page: PageRequest) -> str:
    return page.request.cookies.get(_cookie_name(page.site), "")


def _cookie_name(site: Site) -> str:
    """Return the cookie's name; the prefix binds it to this host over TLS (RFC 6265bis)."""
    return "__Host-pending-login" if site.is_secure else "pending-login"
