"""The scopes that clients may request and grants may hold (RFC 6749 section 3.3)."""

from collections.abc import Iterable
from typing import Final

CATALOG_READ: Final = "catalog:read"
CHANNELS_IMPORT: Final = "channels:import"
ACCOUNT_READ: Final = "account:read"
OFFLINE_ACCESS: Final = "offline_access"

DESCRIPTIONS: Final = {
    CATALOG_READ: "Ask about sponsors, creators and sponsorships, within your monthly requests",
    CHANNELS_IMPORT: "Import YouTube channels and report wrong sponsorships in your name",
    ACCOUNT_READ: "See your plan and how much of it is used",
    OFFLINE_ACCESS: "Stay connected while you are away, until you revoke it",
}
"""Every scope with the sentence that the consent page shows, in the order of display."""

DEFAULT: Final = (CATALOG_READ, ACCOUNT_READ)
"""The scopes of a request that names none."""


def parse(text: str | None) -> tuple[str, ...]:
    """Return the distinct scopes of a space-separated list, known or not, in their order."""
    return tuple(dict.fromkeys((text or "").split()))


def grantable(requested: Iterable[str]) -> tuple[str, ...]:
    """Return the known scopes of `requested` in the order of display, or the default ones.

    Unknown scopes are left out, as RFC 6749 section 3.3 allows: clients request scopes of other
    servers (`openid`, `mcp`), and the token response lists the granted ones.
    """
    wanted = set(requested)
    known = tuple(scope for scope in DESCRIPTIONS if scope in wanted)
    return known if set(known) - {OFFLINE_ACCESS} else DEFAULT + known


def narrow(granted: Iterable[str], requested: Iterable[str]) -> tuple[str, ...] | None:
    """Return the scopes of a refreshed token: `requested`, or all of the grant's when it is empty.

    Returns None when `requested` exceeds the grant: a refresh never widens it (RFC 6749 section 6).
    """
    held = tuple(granted)
    wanted = tuple(requested)
    if not wanted:
        return held
    return tuple(s for s in held if s in wanted) if set(wanted) <= set(held) else None
