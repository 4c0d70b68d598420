"""The page of followed channels, and the forms that follow and unfollow one."""

from typing import Any, Final
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import NoResponse, ServiceError
from shapes.imports import Follow, FollowPage

_PATH: Final = "/account/imports/following"
_NOTICES: Final = {
    "followed": "You follow the channel. Its new videos are imported by themselves.",
    "importing": "The channel is imported first. You follow it once its import is done.",
    "unfollowed": "You do not follow the channel any more.",
}
_LINK: Final = (_PATH, "See your followed channels")
_FOLLOW_UNKNOWN: Final = (
    "It is not known whether you follow the channel now. Look at your followed channels, and at your imports "
    "if it was never imported, before you follow it again."
)
_UNFOLLOW_UNKNOWN: Final = (
    "It is not known whether the channel is unfollowed. Look at your followed channels, and unfollow it again "
    "if it is still there."
)


def routes(site: Site) -> list[Route]:
    """Return the routes of the page and of its forms."""
    return [
        get(site, _PATH, _page, Audience.VISITOR),
        post(site, _PATH, _follow, Audience.VISITOR),
        post(site, f"{_PATH}/end", _unfollow, Audience.VISITOR),
    ]


def follow_values(page: PageRequest, found: FollowPage, here: str) -> dict[str, Any]:
    """Return what a template shows of followed channels and of the plan's limit; forms lead back to `here`."""
    cursor = found.next_cursor
    return {
        "follows": [_row(follow) for follow in found.channels],
        "followed": found.total,
        "paused": found.paused,
        "max_followed": page.site.follows.allowed(page.required_visitor),
        "next_page": cursor and _address(cursor),
        "here": here,
        "notice": _NOTICES.get(page.request.query_params.get("notice", "")),
    }


async def _page(page: PageRequest) -> Response:
    return await _render(page)


async def _follow(page: PageRequest) -> Response:
    channel = page.value("channel").strip()
    try:
        found = await page.site.follows.follow(page.required_visitor, channel)
    except NoResponse as error:
        return page.render_no_response(error, _FOLLOW_UNKNOWN, _LINK)
    except ServiceError as error:
        return await _render(page, http_status(error), error=error.public_message, channel=channel)
    # A channel that is imported first is among the imports until it is followed.
    if found.state == "importing":
        return page.redirect("/account/imports?notice=importing")
    return page.redirect(f"{_PATH}?notice=followed")


async def _unfollow(page: PageRequest) -> Response:
    try:
        await page.site.follows.unfollow(page.required_visitor, page.value("channel"))
    except NoResponse as error:
        return page.render_no_response(error, _UNFOLLOW_UNKNOWN, _LINK)
    back = page.next_path or _PATH
    return page.redirect(f"{back}{'&' if '?' in back else '?'}notice=unfollowed")


async def _render(page: PageRequest, status: int = 200, **values: Any) -> Response:
    cursor = page.request.query_params.get("cursor", "")
    found = await page.site.follows.page(page.required_visitor, cursor)
    return page.render(
        "follows.html",
        status,
        page="imports",
        **follow_values(page, found, _address(cursor)),
        **values,
    )


def _address(cursor: str) -> str:
    return f"{_PATH}?{urlencode({'cursor': cursor})}" if cursor else _PATH


def _row(follow: Follow) -> dict[str, Any]:
    return {name: getattr(follow, name) for name in Follow.__dataclass_fields__}
