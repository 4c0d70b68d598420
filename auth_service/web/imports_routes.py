"""The page of channel imports and of the newest followed channels; both refresh themselves while an import is running."""

from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.explore.labels import in_page_words
from auth_service.domain.plans import CHANNEL_IMPORT
from auth_service.domain.site.imports import ChannelImport, ImportForm
from auth_service.web.follows_routes import follow_values
from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import NoResponse, ServiceError

_FOLLOWS_SHOWN: Final = 10
_FIELDS: Final = {
    "channel": "Channel",
    "since": "Videos since",
    "max_videos": "Maximum videos",
}
"""The labels of the form, by the argument that a field gives."""

_LINK: Final = ("/account/imports", "See your imports")
_START_UNKNOWN: Final = (
    "It is not known whether the import has begun. Look at your imports before you start it again."
)
_CANCEL_UNKNOWN: Final = "It is not known whether the import is cancelled. Look at your imports, and cancel it again if it goes on."


def routes(site: Site) -> list[Route]:
    """Return the routes of the page, of the part that refreshes itself, and of the forms."""
    return [
        get(site, "/account/imports", _page, Audience.VISITOR),
        get(site, "/account/imports/list", _list, Audience.VISITOR),
        post(site, "/account/imports", _start, Audience.VISITOR),
        post(site, "/account/imports/cancel", _cancel, Audience.VISITOR),
    ]


async def _page(page: PageRequest) -> Response:
    return await _render(page, "imports.html")


async def _list(page: PageRequest) -> Response:
    return await _render(page, "imports_part.html")


async def _start(page: PageRequest) -> Response:
    import_form = ImportForm(
        page.value("channel").strip(), page.value("since"), page.value("max_videos").strip()
    )
    try:
        await page.site.imports.start(page.required_visitor, import_form)
    except NoResponse as error:
        return page.render_no_response(error, _START_UNKNOWN, _LINK)
    except ServiceError as error:
        form_fields = {name: getattr(import_form, name) for name in ImportForm.__dataclass_fields__}
        message = in_page_words(error.public_message, _FIELDS)
        return await _render(page, "imports.html", http_status(error), error=message, **form_fields)
    return page.redirect("/account/imports")


async def _cancel(page: PageRequest) -> Response:
    try:
        await page.site.imports.cancel(page.required_visitor, page.value("import_id"))
    except NoResponse as error:
        return page.render_no_response(error, _CANCEL_UNKNOWN, _LINK)
    return page.redirect("/account/imports")


async def _render(page: PageRequest, template: str, status: int = 200, **values: Any) -> Response:
    visitor = page.required_visitor
    plan = page.site.account_service.plan(visitor)
    imports = await page.site.imports.list(visitor)
    # After the imports: a channel is followed once its import is done.
    newest = await page.site.follows.page(visitor, limit=_FOLLOWS_SHOWN)
    return page.render(
        template,
        status,
        plan_has_import=plan.has(CHANNEL_IMPORT),
        imports=[_row(item) for item in imports],
        running=any(item.is_running for item in imports),
        **follow_values(page, newest, "/account/imports"),
        **values,
    )


def _row(channel_import: ChannelImport) -> dict[str, Any]:
    fields = {name: getattr(channel_import, name) for name in ChannelImport.__dataclass_fields__}
    return fields | {"percent": channel_import.percent}
