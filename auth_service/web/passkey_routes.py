"""Log in by a passkey, and the page of the account's passkeys."""

import json
from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.passkeys.service import MAX_NAME
from auth_service.web import code_routes, login_routes
from auth_service.web.page_request import Audience, PageRequest, get, post
from auth_service.web.site import Site
from servicekit.errors import ServiceError

_PATH: Final = "/account/passkeys"
_NOTICES: Final = {
    "added": "The passkey is added. You can log in with it from now on.",
    "renamed": "The passkey is renamed.",
    "removed": "The passkey is removed and does not log in here any more. Delete it on its device, too.",
}


def routes(site: Site) -> list[Route]:
    """Return the routes of login and of /account/passkeys."""

    def action(path: str, handler: Any) -> Route:
        return post(site, f"{_PATH}{path}", handler, Audience.VISITOR)

    return [
        post(site, "/login/passkey", _log_in),
        get(site, _PATH, _overview, Audience.VISITOR),
        action("", _register),
        action("/new", _begin),
        action("/rename", _rename),
        action("/remove", _remove),
    ]


async def _log_in(page: PageRequest) -> Response:
    try:
        done = await page.site.passkeys.log_in(
            page.value("credential"), page.next_path, page.origin
        )
    except ServiceError as error:
        return login_routes.login_failed(page, error)
    return await code_routes.logged_in(page, done.secret, done.address, done.following)


async def _overview(page: PageRequest) -> Response:
    return await _render(page, notice=_NOTICES.get(page.request.query_params.get("notice", "")))


async def _render(page: PageRequest, error: ServiceError | None = None, **values: Any) -> Response:
    visitor = page.required_visitor
    stored, _ = await page.site.two_factor.state(visitor)
    context: dict[str, Any] = {
        "passkeys": await page.site.passkeys.of(visitor),
        "is_available": page.site.passkeys.is_available,
        "two_factor_is_on": stored is not None,
        "options": None,
        "name": page.value("name"),
        "max_name": MAX_NAME,
        "page": "settings",
        **values,
    }
    if error is not None:
        return page.render_failure("passkeys.html", error, **context)
    return page.render("passkeys.html", **context)


async def _begin(page: PageRequest) -> Response:
    try:
        options = await page.site.passkeys.begin(
            page.required_visitor, page.value("password"), page.value("code"), page.origin
        )
    except ServiceError as error:
        return await _render(page, error)
    return await _render(page, options=json.dumps(options))


async def _register(page: PageRequest) -> Response:
    try:
        await page.site.passkeys.register(
            page.required_visitor, page.value("name"), page.value("credential"), page.origin
        )
    except ServiceError as error:
        return await _render(page, error)
    return page.redirect(f"{_PATH}?notice=added")


async def _rename(page: PageRequest) -> Response:
    passkey_id, name = page.value("passkey_id"), page.value("name")
    await page.site.passkeys.rename(page.required_visitor, passkey_id, name)
    return page.redirect(f"{_PATH}?notice=renamed")


async def _remove(page: PageRequest) -> Response:
    await page.site.passkeys.remove(page.required_visitor, page.value("passkey_id"))
    return page.redirect(f"{_PATH}?notice=removed")
