"""The pages of two-factor authentication in the account."""

from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.two_factor.service import Setup
from auth_service.web.page_request import Audience, PageRequest, get, post
from auth_service.web.site import Site
from servicekit.errors import InvalidInput, ServiceError

_PATH: Final = "/account/two-factor"
_GROUP: Final = 4
_NOTICES: Final = {"off": "Two-factor authentication is off."}


def routes(site: Site) -> list[Route]:
    """Return the routes under /account/two-factor."""

    def action(path: str, handler: Any) -> Route:
        return post(site, f"{_PATH}{path}", handler, Audience.VISITOR)

    return [
        get(site, _PATH, _overview, Audience.VISITOR),
        action("/setup", _set_up),
        action("/confirm", _confirm),
        action("/recovery-codes", _renew_recovery_codes),
        action("/disable", _disable),
    ]


async def _overview(page: PageRequest) -> Response:
    return await _render(page, notice=_NOTICES.get(page.request.query_params.get("notice", "")))


async def _render(
    page: PageRequest, error: ServiceError | None = None, error_form: str = "", **values: Any
) -> Response:
    stored, codes_left = await page.site.two_factor.state(page.required_visitor)
    context: dict[str, Any] = {
        "two_factor_is_on": stored is not None,
        "enabled_at": stored.enabled_at if stored else None,
        "codes_left": codes_left,
        "error_form": error_form,
        "setup": None,
        "recovery_codes": (),
        "page": "settings",
        **values,
    }
    if error is not None:
        return page.render_failure("two_factor.html", error, **context)
    return page.render("two_factor.html", **context)


async def _set_up(page: PageRequest) -> Response:
    try:
        setup = await page.site.two_factor.begin(page.required_visitor, page.value("password"))
    except ServiceError as error:
        return await _render(page, error, "setup")
    return await _render(page, setup=_displayed(setup))


def _displayed(setup: Setup) -> dict[str, str]:
    import segno  # noqa: PLC0415 - drawn for few, and takes memory

    grouped = [setup.secret[at : at + _GROUP] for at in range(0, len(setup.secret), _GROUP)]
    return {
        "qr_code": segno.make(setup.uri, error="m", micro=False).svg_data_uri(
            scale=5, border=3, dark="#000", light="#fff"
        ),
        "secret": " ".join(grouped),
        "token": setup.token,
    }


async def _confirm(page: PageRequest) -> Response:
    service, visitor, token = page.site.two_factor, page.required_visitor, page.value("setup")
    try:
        setup = service.resume(visitor, token)
    except InvalidInput as error:
        return await _render(page, error, "setup")
    try:
        new_codes = await service.enable(visitor, token, page.value("code"), page.origin)
    except ServiceError as error:
        return await _render(page, error, "confirm", setup=_displayed(setup))
    return await _render(page, recovery_codes=new_codes, notice="Two-factor authentication is on.")


async def _renew_recovery_codes(page: PageRequest) -> Response:
    try:
        new_codes = await page.site.two_factor.renew_recovery_codes(
            page.required_visitor, page.value("password"), page.value("code"), page.origin
        )
    except ServiceError as error:
        return await _render(page, error, "recovery-codes")
    return await _render(page, recovery_codes=new_codes)


async def _disable(page: PageRequest) -> Response:
    try:
        await page.site.two_factor.disable(
            page.required_visitor, page.value("password"), page.value("code"), page.origin
        )
    except ServiceError as error:
        return await _render(page, error, "disable")
    return page.redirect(f"{_PATH}?notice=off")
