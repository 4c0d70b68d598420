"""The page of followed channels, and the forms that follow and unfollow one."""

from typing import Any, Final
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import ServiceError
from shapes.imports import Follow, FollowPage

_PATH: Final = "/account/imports/following"


def routes(site: Site) -> list[Route]:
    """Return the routes of the page and of its forms."""
    return [
        get(site, _PATH, _page, Audience.VISITOR),
        post(site, _PATH, _follow, Audience.VISITOR),
        post(site, f"{_PATH}/end", _unfollow, Audience.VISITOR),
    ]


def follow_values(page: PageRequest, found: FollowPage) -> dict[str, Any]:
    """Return what a template shows of followed channels and of the plan's limit."""
    cursor = found.next_cursor
    return {
        "follows": [_row(follow) for follow in found.channels],
        "followed": found.total,
        "paused": found.paused,
        "max_followed": page.site.follows.allowed(page.required_visitor),
        "next_page": cursor and f"{_PATH}?{urlencode({'cursor': cursor})}",
    }


async def _page(page: PageRequest) -> Response:
    return await _render(page)


async def _follow(page: PageRequest) -> Response:
    channel = page.value("channel").strip()
    try:
        found = await page.site.follows.follow(page.required_visitor, channel)
    except ServiceError as error:
        return await _render(page, http_status(error), error=error.public_message, channel=channel)
    # A channel that is imported first is among the imports until it is followed.
    return page.redirect("/account/imports" if found.state == "importing" else _PATH)


async def _unfollow(page: PageRequest) -> Response:
    await page.site.follows.unfollow(page.required_visitor, page.value("channel"))
    return page.redirect(_PATH)


async def _render(page: PageRequest, status: int = 200, **values: Any) -> Response:
    cursor = page.request.query_params.get("cursor", "")
    found = await page.site.follows.page(page.required_visitor, cursor)
    return page.render(
        "follows.html", status, page="imports", **follow_values(page, found), **values
    )


def _row(follow: Follow) -> dict[str, Any]:
    return {name: getattr(follow, name) for name in Follow.__dataclass_fields__}
