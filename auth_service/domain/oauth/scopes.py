"""The scopes that clients may request and grants may hold (RFC 6749 section 3.3)."""

from collections.abc import Iterable
from typing import Final

CATALOG_READ: Final = "catalog:read"
CHANNELS_IMPORT: Final = "channels:import"
ACCOUNT_READ: Final = "account:read"
OFFLINE_ACCESS: Final = "offline_access"

DESCRIPTIONS: Final = {
    CATALOG_READ: "Ask about sponsors, creators and sponsorships, within your monthly requests",
    CHANNELS_IMPORT: "Import and follow YouTube channels, change your lists and alerts, and report wrong sponsorships in your name",
    ACCOUNT_READ: "See your plan and how much of it is used, as the first permission allows too",
    OFFLINE_ACCESS: "Stay connected while you are away, until you revoke it",
}
"""Every scope with the sentence that the consent page shows, in the order of display."""

DEFAULT: Final = (CATALOG_READ, ACCOUNT_READ)
"""The scopes of a request that names none."""


def parse(text: str | None) -> tuple[str, ...]:
    """Return the distinct scopes of a space-separated list, known or not, in their order."""
    return tuple(dict.fromkeys((text or "").split()))


def refusal(text: str | None) -> str | None:
    """Return the reason to refuse a list of scopes, for clients; None when all of them are known.

    The unknown one is not repeated: it may hold characters that an error must not (RFC 6749 section
    4.1.2.1).
    """
    if set(parse(text)) <= DESCRIPTIONS.keys():
        return None
    return f"A requested scope is unknown. The scopes of this server: {', '.join(DESCRIPTIONS)}."


def within(scopes: Iterable[str], plan_scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes that an account may grant on its plan; none if only `offline_access` is left."""
    allowed = {*plan_scopes, OFFLINE_ACCESS}
    left = tuple(scope for scope in scopes if scope in allowed)
    return left if of_plans(left) else ()


def of_plans(scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes that a plan has or lacks: all but `offline_access`, which each account may grant."""
    return tuple(scope for scope in scopes if scope != OFFLINE_ACCESS)


def grantable(requested: Iterable[str]) -> tuple[str, ...]:
    """Return the known scopes of `requested` in the order of display, or the default ones."""
    wanted = set(requested)
    known = tuple(scope for scope in DESCRIPTIONS if scope in wanted)
    return known if set(known) - {OFFLINE_ACCESS} else DEFAULT + known


def narrow(granted: Iterable[str], requested: Iterable[str]) -> tuple[str, ...] | None:
    """Return the scopes of a refreshed token: `requested`, or all of the grant's when it is empty.

    Returns None when `requested` exceeds the grant: a refresh never widens it (RFC 6749 section 6).
    """
    grant, wanted = tuple(granted), tuple(requested)
    if not wanted:
        return grant
    return tuple(s for s in grant if s in wanted) if set(wanted) <= set(grant) else None
