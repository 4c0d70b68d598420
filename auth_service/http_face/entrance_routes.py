"""The pages before login."""

from typing import Any, Final
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.addresses import normalised_email
from auth_service.domain.site.sign_ups import LinkIsDead
from auth_service.http_face.site import Site
from auth_service.http_face.visits import Visit, get, post
from servicekit.errors import ServiceError

HOME: Final = "/account"
_NOTICES: Final = {
    "confirmed": "Your address is confirmed. Log in to go on.",
    "reset": "Your password is changed. Log in with it.",
    "deleted": "Your account is deleted.",
}


def routes(site: Site) -> list[Route]:
    """Landing page, sign-up, confirmation, login, logout, forgotten passwords."""
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


def provider_links(visit: Visit) -> list[tuple[str, str]]:
    """Ids and names of the providers to log in by."""
    return [(p.provider_id, p.label) for p in visit.site.providers.values()]


def _shown(visit: Visit) -> dict[str, Any]:
    notice = _NOTICES.get(visit.request.query_params.get("notice", ""))
    return {
        "next": visit.following,
        "providers": provider_links(visit),
        "email": visit.value("email"),
        "notice": notice,
    }


async def _landing(visit: Visit) -> Response:
    plans = [
        {
            "name": plan.name,
            "monthly_requests": plan.monthly_requests,
            "has_keys": plan.has("api_keys"),
            "has_import": plan.has("channel_import"),
        }
        for plan in visit.site.operations.plans.values()
    ]
    return visit.page("landing.html", plans=plans, notice=_shown(visit)["notice"])


async def _sign_up_form(visit: Visit) -> Response:
    return visit.page("signup.html", **_shown(visit))


async def _sign_up(visit: Visit) -> Response:
    email = visit.value("email")
    try:
        await visit.site.sign_ups.sign_up(
            email, visit.value("password"), visit.following, visit.origin
        )
    except ServiceError as error:
        return visit.failure("signup.html", error, **_shown(visit))
    return _sent(
        visit,
        "Confirm your address",
        f"A mail to {email.strip()} is on its way. If none comes, log in later with your password: "
        "that sends the link again where it is needed.",
    )


async def _confirm_form(visit: Visit) -> Response:
    token = visit.request.query_params.get("token", "")
    needs_password = await visit.site.sign_ups.needs_password(token, visit.origin)
    return visit.page(
        "confirm.html", token=token, needs_password=needs_password, next=visit.following
    )


async def _confirm(visit: Visit) -> Response:
    token = visit.value("token")
    try:
        await visit.site.sign_ups.confirm(token, visit.value("password"), visit.origin)
    except LinkIsDead as error:
        return visit.message("This link does not work any more", error.public_message, 400)
    except ServiceError as error:
        return visit.failure(
            "confirm.html", error, token=token, needs_password=True, next=visit.following
        )
    return visit.go(_with_next("/login?notice=confirmed", visit.following))


async def _login_form(visit: Visit) -> Response:
    if visit.visitor is not None:
        return visit.go(visit.following or HOME)
    return visit.page("login.html", leaves_site=True, client_name=None, **_shown(visit))


async def _log_in(visit: Visit) -> Response:
    entrance = visit.site.entrance
    try:
        secret = await entrance.log_in(
            visit.value("email"), visit.value("password"), visit.following, visit.origin
        )
    except ServiceError as error:
        shown = _shown(visit)
        return visit.failure("login.html", error, leaves_site=True, client_name=None, **shown)
    if visit.visitor is not None:
        await entrance.log_out(visit.visitor)
    visit.log_in(secret)
    visit.remember_device(normalised_email(visit.value("email")))
    return visit.go(visit.following or HOME)


async def _log_out(visit: Visit) -> Response:
    if visit.visitor is not None:
        await visit.site.entrance.log_out(visit.visitor)
    visit.log_out()
    return visit.go(_with_next("/login", visit.following) if visit.following else "/")


async def _forgot_form(visit: Visit) -> Response:
    return visit.page("forgot.html", email="")


async def _forgot(visit: Visit) -> Response:
    email = visit.value("email")
    try:
        await visit.site.recovery.ask(email, visit.origin)
    except ServiceError as error:
        return visit.failure("forgot.html", error, email=email)
    return _sent(
        visit,
        "Look in your inbox",
        f"If {email.strip()} has an account, a link to choose a new password is on its way. If many "
        "were asked for, no more are sent: any link of the past hour works until one is used.",
    )


async def _reset_form(visit: Visit) -> Response:
    token = visit.request.query_params.get("token", "")
    return visit.page("reset.html", token=token, revoke_keys=True)


async def _reset(visit: Visit) -> Response:
    token, revoke_keys = visit.value("token"), bool(visit.value("revoke_keys"))
    try:
        done = await visit.site.recovery.reset(
            token, visit.value("password"), revoke_keys=revoke_keys
        )
    except ServiceError as error:
        return visit.failure("reset.html", error, token=token, revoke_keys=revoke_keys)
    if not done:
        return visit.message(
            "This link does not work any more",
            "It was used before, is older than an hour, or the password was changed since it was "
            "sent.",
            400,
        )
    return visit.go("/login?notice=reset")


def _sent(visit: Visit, heading: str, text: str) -> Response:
    folder = visit.site.mail_folder
    return visit.page("sent.html", heading=heading, text=text, mail_folder=folder)


def _with_next(path: str, following: str) -> str:
    if not following:
        return path
    return f"{path}{'&' if '?' in path else '?'}next={quote(following, safe='')}"
