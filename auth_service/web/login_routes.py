"""The pages available without login."""

import json
from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.addresses import normalised_email
from auth_service.domain.site.sign_ups import LinkIsDead
from auth_service.domain.two_factor.second_step import LoginResult
from auth_service.web import code_routes, mail_routes
from auth_service.web.explore_cells import Cells
from auth_service.web.page_request import PageRequest, get, post, with_next_path
from auth_service.web.site import Site
from servicekit.errors import ServiceError

_NOTICES: Final = {
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
            "followed_channels": plan.followed_channels,
            "watches": plan.watches,
        }
        for plan in page.site.operations.plans.values()
    ]
    return page.render(
        "landing.html",
        plans=plans,
        notice=_form_values(page)["notice"],
        examples=await page.site.data.examples.get(),
        cells=Cells(await page.site.data.categories.labels()),
    )


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
        f"Open the link in the mail to {email.strip()}. In this browser it logs you in, and you go on "
        "where you were.",
        "No mail? If enough were sent there before, a link that came before works in this browser, "
        "too. Or log in later with your password: that asks for another.",
    )


async def _confirm_form(page: PageRequest) -> Response:
    token = page.request.query_params.get("token", "")
    needs_password = await page.site.sign_ups.needs_password(token, page.origin)
    return page.render("confirm.html", leaves_site=True, token=token, needs_password=needs_password)


async def _confirm(page: PageRequest) -> Response:
    token, login_service = page.value("token"), page.site.login_service
    try:
        confirmed = await page.site.sign_ups.confirm(token, page.value("password"), page.origin)
        result = await login_service.log_in_confirmed(
            confirmed.account, confirmed.following, page.origin
        )
    except LinkIsDead as error:
        return page.render_message("This link does not work any more", error.public_message, 400)
    except ServiceError as error:
        return page.render_failure(
            "confirm.html", error, leaves_site=True, token=token, needs_password=True
        )
    return await _logged_in(page, result, confirmed.account.email, confirmed.following)


async def _login_form(page: PageRequest) -> Response:
    if page.visitor is not None:
        return page.redirect(page.next_path or code_routes.HOME)
    return page.render("login.html", leaves_site=True, **_login_values(page))


def login_failed(page: PageRequest, error: ServiceError) -> Response:
    """Render the page of the login again with its error."""
    return page.render_failure("login.html", error, leaves_site=True, **_login_values(page))


def _login_values(page: PageRequest) -> dict[str, Any]:
    options = page.site.passkeys.login_options(page.origin)
    return {
        **_form_values(page),
        "passkey_options": None if options is None else json.dumps(options),
    }


async def _log_in(page: PageRequest) -> Response:
    login_service = page.site.login_service
    try:
        result = await login_service.log_in(
            page.value("email"), page.value("password"), page.next_path, page.origin
        )
    except ServiceError as error:
        return login_failed(page, error)
    return await _logged_in(page, result, normalised_email(page.value("email")), page.next_path)


async def _logged_in(
    page: PageRequest, result: LoginResult, address: str, following: str
) -> Response:
    """Lead on to where the person was going, or to the form of the code."""
    if result.needs_code:
        return code_routes.request_code(page, result.secret)
    return await code_routes.logged_in(page, result.secret, address, following)


async def _log_out(page: PageRequest) -> Response:
    if page.visitor is not None:
        await page.site.login_service.log_out(page.visitor)
    page.log_out()
    return page.redirect(with_next_path("/login", page.next_path) if page.next_path else "/")


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
        f"If {email.strip()} has an account, a link to choose a new password is on its way.",
        "If many were asked for, no more are sent: any link of the past hour works until the password "
        "is changed.",
    )


async def _reset_form(page: PageRequest) -> Response:
    token = page.request.query_params.get("token", "")
    if not await page.site.recovery.is_open(token):
        return _ended_reset(page)
    return page.render("reset.html", token=token, revoke_keys=True, remove_passkeys=True)


async def _reset(page: PageRequest) -> Response:
    token = page.value("token")
    choices = {name: bool(page.value(name)) for name in ("revoke_keys", "remove_passkeys")}
    try:
        is_reset = await page.site.recovery.reset(token, page.value("password"), **choices)
    except ServiceError as error:
        return page.render_failure("reset.html", error, token=token, **choices)
    if not is_reset:
        return _ended_reset(page)
    return page.redirect("/login?notice=reset")


def _ended_reset(page: PageRequest) -> Response:
    return page.render_message(
        "This link does not work any more",
        "It was used before, is older than an hour, is not whole, or the password was changed since it was sent.",
        400,
        ("/forgot", "Request another link"),
    )


def _mail_sent_page(page: PageRequest, heading: str, text: str, without_mail: str) -> Response:
    """Return the page that comes after a request for a mail; only that of a sign-up can be opened."""
    return page.render(
        "sent.html",
        heading=heading,
        text=text,
        without_mail=without_mail,
        mail_folder=page.site.mail_folder,
        mail_path=with_next_path(mail_routes.PATH, page.next_path),
        opens_mail=page.request.url.path == "/signup" and mail_routes.is_shown_to(page),
    )
