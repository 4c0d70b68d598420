"""The cookie that shows a channel's new secret once, on the page that follows the form.

A form that showed it itself would be sent again by a reload, which makes another channel or another secret.
"""

from datetime import timedelta
from typing import Final

from cryptography.fernet import InvalidToken

from auth_service.web.page_request import PageRequest
from auth_service.web.site import Site

_LIFETIME: Final = timedelta(minutes=5)


def announce(page: PageRequest, channel_id: str) -> None:
    """Make the next page show the channel's secret; the cookie has the channel's id only, encrypted."""
    value = page.site.cookies.encrypt(channel_id.encode()).decode()
    page.cookies[_cookie_name(page.site)] = value


def take(page: PageRequest) -> str:
    """Return the id of the channel whose secret is to be shown, empty if there is none; it is not shown again."""
    name = _cookie_name(page.site)
    value = page.request.cookies.get(name, "")
    if not value:
        return ""
    page.cookies[name] = None
    try:
        seconds = int(_LIFETIME.total_seconds())
        return page.site.cookies.decrypt(value.encode(), ttl=seconds).decode()
    except (InvalidToken, ValueError):
        return ""


def _cookie_name(site: Site) -> str:
    """Return the cookie's name; the prefix binds it to this host over TLS (RFC 6265bis)."""
    return "__Host-new-secret" if site.is_secure else "new-secret"
