"""Change the account's address: the forms of the settings, and the page of the mailed links."""

from typing import Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.email_changes.service import DEAD_TEXT, EmailChangeLinkIsDead, Outcome
from auth_service.web import account_routes
from auth_service.web.page_request import Audience, PageRequest, get, post
from auth_service.web.site import Site
from servicekit.errors import ServiceError

_SETTINGS: Final = "/account/settings"
_DEAD: Final = "This link does not work any more"


def routes(site: Site) -> list[Route]:
    """Return the routes of the settings and of the mailed links."""
    return [
        post(site, f"{_SETTINGS}/email", _request, Audience.VISITOR),
        post(site, f"{_SETTINGS}/email/cancel", _cancel, Audience.VISITOR),
        get(site, "/email-change", _link_page),
        post(site, "/email-change/confirm", _confirm),
        post(site, "/email-change/cancel", _cancel_by_link),
    ]


async def _request(page: PageRequest) -> Response:
    try:
        await page.site.email_changes.request(
            page.required_visitor,
            page.value("email"),
            page.value("password"),
            page.value("code"),
            page.origin,
        )
    except ServiceError as error:
        return await account_routes.settings_page(
            page, error, error_form="email", new_email=page.value("email")
        )
    return page.redirect(f"{_SETTINGS}?notice=email-requested")


async def _cancel(page: PageRequest) -> Response:
    await page.site.email_changes.cancel(page.required_visitor, page.origin)
    return page.redirect(f"{_SETTINGS}?notice=email-cancelled")


async def _link_page(page: PageRequest) -> Response:
    token = page.request.query_params.get("token", "")
    found = await page.site.email_changes.of_link(token)
    if found is None:
        return page.render_message(_DEAD, DEAD_TEXT, 400)
    change, side = found
    is_confirmed = change.new_confirmed_at if side == "new" else change.old_confirmed_at
    return page.render(
        "email_change.html", token=token, change=change, is_confirmed=is_confirmed is not None
    )


async def _confirm(page: PageRequest) -> Response:
    try:
        outcome, change = await page.site.email_changes.confirm(page.value("token"), page.origin)
    except EmailChangeLinkIsDead as error:
        return page.render_message(_DEAD, error.public_message, 400)
    if outcome is Outcome.WAITING:
        other = "old" if change.old_confirmed_at is None else "new"
        return page.render_message(
            "One more link",
            f"This address is confirmed. Now open the link in the mail to the {other} address: your "
            "address changes when both are confirmed.",
        )
    if outcome is Outcome.TAKEN:
        return page.render_message(
            "Your address stays as it is", "The new one has an account of its own by now.", 409
        )
    if page.visitor is not None and page.visitor.account.account_id == change.account_id:
        page.remember_device(change.new_email)
    return page.render_message(
        "Your address is changed",
        f"It is {change.new_email} from now on: log in with it. All sessions are ended but the one "
        "in which you asked for this.",
    )


async def _cancel_by_link(page: PageRequest) -> Response:
    try:
        await page.site.email_changes.cancel_by_link(page.value("token"), page.origin)
    except EmailChangeLinkIsDead as error:
        return page.render_message(_DEAD, error.public_message, 400)
    return page.render_message(
        "Your address stays as it is",
        "The change is stopped, and its links work no more. It was not you who asked for it? Then "
        "choose a new password.",
    )
