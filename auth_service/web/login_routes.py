"""The pages available without login."""

from typing import Any, Final
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.addresses import normalised_email
from auth_service.domain.site.sign_ups import LinkIsDead
from auth_service.web.page_request import PageRequest, get, post
from auth_service.web.site import Site
from servicekit.errors import ServiceError

HOME: Final = "/account"
_NOTICES: Final = {
    "confirmed": "Your address is confirmed. Log in to go on.",
    "reset": "Your password is changed. Log in with it.",
    "deleted": "Your account is deleted.",
}


def routes(site: Site) -> list[Route]:
    """Return the routes for landing page, sign-up, confirmation, login, logout and password reset."""
    return [
        get(site, "/", _landing),
        get(site, "/signup", _sign_up_form),
        post(site, "/signup", _sign_up),
        get(site, "/confirm", _confirm_form),
        post(site, "/confirm", _confirm),
        get(site, "/login", _login_form),
        post(site, "/login", _log_in),
        post(site, "/logout", _log_out),
        get(site, "/forgot", _forgot_form),
        post(site, "/forgot", _forgot),
        get(site, "/reset", _reset_form),
        post(site, "/reset", _reset),
    ]


def provider_links(page: PageRequest) -> list[tuple[str, str]]:
    """Return ids and labels of the login providers."""
    return [(p.provider_id, p.label) for p in page.site.providers.values()]


def _form_values(page: PageRequest) -> dict[str, Any]:
    notice = _NOTICES.get(page.request.query_params.get("notice", ""))
    return {
        "next": page.next_path,
        "providers": provider_links(page),
        "email": page.value("email"),
        "notice": notice,
    }


async def _landing(page: PageRequest) -> Response:
    plans = [
        {
            "name": plan.name,
            "monthly_requests": plan.monthly_requests,
            "has_keys": plan.has("api_keys"),
            "has_import": plan.has("channel_import"),
        }
        for plan in page.site.operations.plans.values()
    ]
    return page.render("landing.html", plans=plans, notice=_form_values(page)["notice"])


async def _sign_up_form(page: PageRequest) -> Response:
    return page.render("signup.html", **_form_values(page))


async def _sign_up(page: PageRequest) -> Response:
    email = page.value("email")
    try:
        await page.site.sign_ups.sign_up(email, page.value("password"), page.next_path, page.origin)
    except ServiceError as error:
        return page.render_failure("signup.html", error, **_form_values(page))
    return _mail_sent_page(
        page,
        "Confirm your address",
        f"A mail to {email.strip()} is on its way, unless enough were sent there before: then a link "
        "that came before works in this browser, too. If none came, log in later with your "
        "password: that asks for another.",
    )


async def _confirm_form(page: PageRequest) -> Response:
    token = page.request.query_params.get("token", "")
    needs_password = await page.site.sign_ups.needs_password(token, page.origin)
    return page.render(
        "confirm.html", token=token, needs_password=needs_password, next=page.next_path
    )


async def _confirm(page: PageRequest) -> Response:
    token = page.value("token")
    try:
        await page.site.sign_ups.confirm(token, page.value("password"), page.origin)
    except LinkIsDead as error:
        return page.render_message("This link does not work any more", error.public_message, 400)
    except ServiceError as error:
        return page.render_failure(
            "confirm.html", error, token=token, needs_password=True, next=page.next_path
        )
    return page.redirect(_with_next_path("/login?notice=confirmed", page.next_path))


async def _login_form(page: PageRequest) -> Response:
    if page.visitor is not None:
        return page.redirect(page.next_path or HOME)
    return page.render("login.html", leaves_site=True, client_name=None, **_form_values(page))


async def _log_in(page: PageRequest) -> Response:
    login_service = page.site.login_service
    try:
        secret = await login_service.log_in(
            page.value("email"), page.value("password"), page.next_path, page.origin
        )
    except ServiceError as error:
        values = _form_values(page)
        return page.render_failure(
            "login.html", error, leaves_site=True, client_name=None, **values
        )
    if page.visitor is not None:
        await login_service.log_out(page.visitor)
    page.log_in(secret)
    page.remember_device(normalised_email(page.value("email")))
    return page.redirect(page.next_path or HOME)


async def _log_out(page: PageRequest) -> Response:
    if page.visitor is not None:
        await page.site.login_service.log_out(page.visitor)
    page.log_out()
    return page.redirect(_with_next_path("/login", page.next_path) if page.next_path else "/")


async def _forgot_form(page: PageRequest) -> Response:
    return page.render("forgot.html", email="")


async def _forgot(page: PageRequest) -> Response:
    email = page.value("email")
    try:
        await page.site.recovery.request_link(email, page.origin)
    except ServiceError as error:
        return page.render_failure("forgot.html", error, email=email)
    return _mail_sent_page(
        page,
        "Look in your inbox",
        f"If {email.strip()} has an account, a link to choose a new password is on its way. If many "
        "were asked for, no more are sent: any link of the past hour works until the password is "
        "changed.",
    )


async def _reset_form(page: PageRequest) -> Response:
    token = page.request.query_params.get("token", "")
    return page.render("reset.html", token=token, revoke_keys=True)


async def _reset(page: PageRequest) -> Response:
    token, revoke_keys = page.value("token"), bool(page.value("revoke_keys"))
    try:
        is_reset = await page.site.recovery.reset(
            token, page.value("password"), revoke_keys=revoke_keys
        )
    except ServiceError as error:
        return page.render_failure("reset.html", error, token=token, revoke_keys=revoke_keys)
    if not is_reset:
        return page.render_message(
            "This link does not work any more",
            "It was used before, is older than an hour, or the password was changed since it was "
            "sent.",
            400,
        )
    return page.redirect("/login?notice=reset")


def _mail_sent_page(page: PageRequest, heading: str, text: str) -> Response:
    folder = page.site.mail_folder
    return page.render("sent.html", heading=heading, text=text, mail_folder=folder)


def _with_next_path(path: str, next_path: str) -> str:
    if not next_path:
        return path
    return f"{path}{'&' if '?' in path else '?'}next={quote(next_path, safe='')}"
