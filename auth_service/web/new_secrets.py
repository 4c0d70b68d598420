"""The cookie that shows a new secret once, on the page that follows the form.

A form that showed it itself would be sent again by a reload, which makes another key, channel or secret.
"""

from datetime import timedelta
from typing import Final

from cryptography.fernet import InvalidToken

from auth_service.web.page_request import PageRequest
from auth_service.web.site import Site

_LIFETIME: Final = timedelta(minutes=5)


def announce(page: PageRequest, kind: str, value: str) -> None:
    """Make the next page of this kind show a secret of the account that is acted for.

    Args:
        page: The request of the form.
        kind: "key" or "channel".
        value: The secret, or the id of what has it; the cookie has it encrypted.
    """
    content = f"{page.required_visitor.subject.account_id} {value}"
    name = _cookie_name(page.site, kind)
    page.cookies[name] = page.site.cookies.encrypt(content.encode()).decode()
    page.lifetimes[name] = _LIFETIME


def take(page: PageRequest, kind: str) -> str:
    """Return what was announced for this account, empty if nothing was; it is not shown again."""
    name = _cookie_name(page.site, kind)
    cookie = page.request.cookies.get(name, "")
    if not cookie or page.request.method == "HEAD":
        return ""
    page.cookies[name] = None
    try:
        seconds = int(_LIFETIME.total_seconds())
        content = page.site.cookies.decrypt(cookie.encode(), ttl=seconds).decode()
    except (InvalidToken, ValueError):
        return ""
    account_id, _, value = content.partition(" ")
    return value if account_id == page.required_visitor.subject.account_id else ""


def _cookie_name(site: Site, kind: str) -> str:
    """Return the cookie's name; the prefix binds it to this host over TLS (RFC 6265bis)."""
    return f"__Host-new-{kind}" if site.is_secure else f"new-{kind}"
