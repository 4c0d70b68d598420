"""The pages of saved lists: all of them, and one with its entries."""

from typing import Any, Final
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.explore.labels import in_page_words
from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import NoResponse, ServiceError
from shapes.catalog.lists import ListChange, SavedListEntry

_FIELDS: Final = {"name": "Name", "type": "Type", "names": "Entries"}
"""The labels of the forms, by the argument that a field gives."""

_CHANGE_UNKNOWN: Final = (
    "It is not known whether the list is changed. Look at it before you try again."
)


def routes(site: Site) -> list[Route]:
    """Return the routes of the pages and of their forms."""
    return [
        get(site, "/account/lists", _lists, Audience.VISITOR),
        get(site, "/account/list", _list, Audience.VISITOR),
        post(site, "/account/lists", _create, Audience.VISITOR),
        post(site, "/account/lists/add", _add, Audience.VISITOR),
        post(site, "/account/lists/remove", _remove, Audience.VISITOR),
        post(site, "/account/lists/rename", _rename, Audience.VISITOR),
        post(site, "/account/lists/delete", _delete, Audience.VISITOR),
    ]


async def _lists(page: PageRequest) -> Response:
    return await _render_lists(page)


async def _list(page: PageRequest) -> Response:
    query = page.request.query_params
    return await _render_list(page, query.get("list", " "), cursor=query.get("cursor", ""))


async def _create(page: PageRequest) -> Response:
    name, list_type, names = page.value("name"), page.value("type"), page.value("names")
    try:
        change = await page.site.lists.create(page.required_visitor, name, list_type, names)
    except NoResponse as error:
        return _no_response(page, error, "/account/lists")
    except ServiceError as error:
        return await _render_lists(page, error, name=name, type=list_type, names=names)
    return await _changed(page, change)


async def _add(page: PageRequest) -> Response:
    list_id, names = page.value("list"), page.value("names")
    try:
        change = await page.site.lists.add(page.required_visitor, list_id, names)
    except NoResponse as error:
        return _no_response(page, error, _address(list_id))
    except ServiceError as error:
        return await _render_list(page, list_id, error, place="add", names=names)
    return await _changed(page, change)


async def _remove(page: PageRequest) -> Response:
    list_id = page.value("list")
    try:
        await page.site.lists.remove(page.required_visitor, list_id, page.value("entry"))
    except NoResponse as error:
        return _no_response(page, error, _address(list_id))
    return page.redirect(_address(list_id))


async def _rename(page: PageRequest) -> Response:
    list_id, name = page.value("list"), page.value("name")
    try:
        await page.site.lists.rename(page.required_visitor, list_id, name)
    except NoResponse as error:
        return _no_response(page, error, _address(list_id))
    except ServiceError as error:
        return await _render_list(page, list_id, error, place="rename", new_name=name)
    return page.redirect(_address(list_id))


async def _delete(page: PageRequest) -> Response:
    try:
        await page.site.lists.delete(page.required_visitor, page.value("list"))
    except NoResponse as error:
        return _no_response(page, error, "/account/lists")
    return page.redirect("/account/lists")


def _no_response(page: PageRequest, error: NoResponse, address: str) -> Response:
    link = (address, "See your lists" if address == "/account/lists" else "See the list")
    return page.render_no_response(error, _CHANGE_UNKNOWN, link, "holds the catalogue")


async def _changed(page: PageRequest, change: ListChange) -> Response:
    """Lead to the list, or show it with the names that are unclear."""
    if not change.unclear:
        return page.redirect(_address(change.list.id))
    note = in_page_words(change.note or "")
    return await _render_list(page, change.list.id, unclear=change.unclear, note=note)


async def _render_lists(
    page: PageRequest, error: ServiceError | None = None, **values: Any
) -> Response:
    visitor = page.required_visitor
    return page.render(
        "lists.html",
        200 if error is None else http_status(error),
        lists=await page.site.lists.lists(visitor),
        can_write=page.site.lists.can_write(visitor),
        error=error and in_page_words(error.public_message, _FIELDS),
        **values,
    )


async def _render_list(
    page: PageRequest,
    list_id: str,
    error: ServiceError | None = None,
    cursor: str = "",
    **values: Any,
) -> Response:
    visitor = page.required_visitor
    found = await page.site.lists.page(visitor, list_id, cursor)
    next_page = found.next_cursor and f"{_address(found.list.id)}&cursor={quote(found.next_cursor)}"
    return page.render(
        "list.html",
        200 if error is None else http_status(error),
        page="lists",
        list=found.list,
        entries=[_entry(entry) for entry in found.entries],
        next_page=next_page,
        can_write=page.site.lists.can_write(visitor),
        error=error and in_page_words(error.public_message, _FIELDS),
        **values,
    )


def _entry(entry: SavedListEntry) -> dict[str, Any]:
    """Return an entry's id, name, and a word by which one knows it from namesakes."""
    known = entry.sponsor or entry.youtuber
    if known is None:
        raise ValueError("An entry is of a brand or of a creator.")
    hint = entry.sponsor.domain if entry.sponsor else entry.youtuber and entry.youtuber.handle
    return {"id": known.id, "name": known.name, "hint": hint or "", "added_at": entry.added_at}


def _address(list_id: str) -> str:
    return f"/account/list?list={quote(list_id)}"
