"""The pages of lists of channels: the form, the newest lists, and one list with its channels."""

from typing import Any, Final
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.explore.labels import in_page_words
from auth_service.domain.site.bulk_imports import BulkImportForm
from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import NoResponse, ServiceError
from shapes.imports import BulkImportStatus

_LINK: Final = ("/account/imports/bulk", "See your lists")
_START_UNKNOWN: Final = "It is not known whether the import of the list has begun. Look at your lists before you start it again."
_CANCEL_UNKNOWN: Final = (
    "It is not known whether the import of the list is cancelled. Look at your lists, and cancel it again if "
    "it goes on."
)
_FIELDS: Final = {
    "channels": "Channels",
    "since": "Videos since",
    "max_videos": "Maximum videos of each",
}
"""The labels of the form, by the argument that a field gives."""

_MAX_FORM_BYTES: Final = 400_000
"""A thousand long addresses of channels, each character encoded as three at times."""


def routes(site: Site) -> list[Route]:
    """Return the routes of the pages, of the parts that refresh themselves, and of the forms."""
    return [
        get(site, "/account/imports/bulk", _page, Audience.VISITOR),
        get(site, "/account/imports/bulk/channels", _channels, Audience.VISITOR),
        post(site, "/account/imports/bulk", _start, Audience.VISITOR, _MAX_FORM_BYTES),
        post(site, "/account/imports/bulk/cancel", _cancel, Audience.VISITOR),
    ]


async def _page(page: PageRequest) -> Response:
    return await _render(page)


async def _start(page: PageRequest) -> Response:
    form = BulkImportForm(
        page.value("channels"), page.value("since"), page.value("max_videos").strip()
    )
    try:
        started = await page.site.bulk_imports.start(page.required_visitor, form)
    except NoResponse as error:
        return page.render_no_response(error, _START_UNKNOWN, _LINK)
    except ServiceError as error:
        return await _render(
            page,
            http_status(error),
            error=in_page_words(error.public_message, _FIELDS),
            channels=form.channels,
            since=form.since,
            max_videos=form.max_videos,
        )
    return page.redirect(_address(started.bulk_import_id))


async def _channels(page: PageRequest) -> Response:
    query = page.request.query_params
    # Without an id it would be the newest: a link to one names it.
    bulk_import_id, state = query.get("id") or " ", query.get("state", "")
    bulk = await page.site.bulk_imports.page(
        page.required_visitor, bulk_import_id, query.get("cursor", ""), state
    )
    following = bulk.next_cursor and _address(bulk.bulk_import_id, state, bulk.next_cursor)
    template = (
        "bulk_import_part.html" if "HX-Request" in page.request.headers else "bulk_import.html"
    )
    return page.render(
        template,
        page="imports",
        bulk=_row(bulk),
        channels=bulk.channels,
        state=state,
        here=_address(bulk.bulk_import_id, state, query.get("cursor", "")),
        all_channels=_address(bulk.bulk_import_id),
        failed_channels=_address(bulk.bulk_import_id, "failed"),
        next_page=following,
    )


async def _cancel(page: PageRequest) -> Response:
    bulk_import_id = page.value("bulk_import_id") or " "
    try:
        await page.site.bulk_imports.cancel(page.required_visitor, bulk_import_id)
    except NoResponse as error:
        return page.render_no_response(error, _CANCEL_UNKNOWN, _LINK)
    return page.redirect(_address(bulk_import_id))


async def _render(page: PageRequest, status: int = 200, **values: Any) -> Response:
    visitor = page.required_visitor
    return page.render(
        "bulk_imports.html",
        status,
        page="imports",
        can_start=page.site.bulk_imports.can_start(visitor),
        bulk_imports=[_row(bulk) for bulk in await page.site.bulk_imports.list(visitor)],
        **values,
    )


def _row(bulk: BulkImportStatus) -> dict[str, Any]:
    ended = bulk.channels_done + bulk.channels_failed + bulk.channels_cancelled
    return {
        "bulk_import_id": bulk.bulk_import_id,
        "address": _address(bulk.bulk_import_id),
        "state": bulk.state,
        "is_running": bulk.state in ("running", "waiting"),
        "message": bulk.message,
        "channels": bulk.channels_total,
        "failed": bulk.channels_failed,
        "ended": ended,
        "videos_seen": bulk.videos_seen,
        "sponsorships": bulk.sponsorships,
        "created_at": bulk.created_at,
        "finished_at": bulk.finished_at,
    }


def _address(bulk_import_id: str, state: str = "", cursor: str = "") -> str:
    query = {"id": bulk_import_id, "state": state, "cursor": cursor}
    values = {name: value for name, value in query.items() if value}
    return f"/account/imports/bulk/channels?{urlencode(values)}"
