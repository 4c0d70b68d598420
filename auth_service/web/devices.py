"""The cookie of a browser that has logged in to accounts before."""

import json
from datetime import timedelta
from typing import Any, Final

from cryptography.fernet import InvalidToken
from starlette.requests import Request

from auth_service.domain.site.login_attempts import KnownDevice
from auth_service.web.site import Site

LIFETIME: Final = timedelta(days=365)
"""Longer than sessions, since it serves people whose session has ended."""


def cookie_name(site: Site) -> str:
    """Return the cookie's name; the prefix binds it to this host over TLS (RFC 6265bis)."""
    return "__Host-device" if site.is_secure else "device"


def encrypt(site: Site, device: KnownDevice) -> str:
    """Return the cookie's value, which only this service can create and read."""
    content = {"device": dict(device.accounts)}
    return site.cookies.encrypt(json.dumps(content).encode()).decode()


def read(site: Site, request: Request) -> KnownDevice:
    """Return the device of a request; one without known accounts if the cookie is missing or invalid."""
    value = request.cookies.get(cookie_name(site), "")
    try:
        content: Any = json.loads(
            site.cookies.decrypt(value.encode(), ttl=int(LIFETIME.total_seconds()))
        )
    except (InvalidToken, ValueError):
        return KnownDevice()
    return KnownDevice(content.get("device", {}))
