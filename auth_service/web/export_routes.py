"""The export of what the site stores of a person, as JSON."""

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import date, datetime
from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site.login_service import Visitor
from auth_service.web.alert_words import shown_target
from auth_service.web.page_request import Audience, PageRequest, get_without_deadline
from auth_service.web.site import Site
from servicekit.errors import NotFound, ServiceError

_EXPORTS: Final = RateLimit("export", 10, 3_600)
"""An export reads every page of what the account has."""

Page = tuple[Sequence[Any], str | None]
"""Rows, and the cursor of the next page."""


def routes(site: Site) -> list[Route]:
    """Return the route of the file."""
    return [get_without_deadline(site, "/account/export", _export, Audience.VISITOR)]


async def _export(page: PageRequest) -> Response:
    # A person's own data, also while they act for an organisation.
    site, visitor = page.site, replace(page.required_visitor, organisation=None)
    await _EXPORTS.check(site.oauth.throttle, visitor.account.account_id)
    document = {
        **await site.account_service.export(visitor),
        **await _security(site, visitor),
        **await _alerts(site, visitor),
        **await _of_other_services(site, visitor),
    }
    if site.billing is not None:
        document["subscription"] = await site.billing.export(visitor.account)
    body = json.dumps(document, indent=2, default=_json_value)
    headers = {
        "Content-Disposition": 'attachment; filename="sponsorgraph-export.json"',
        "Cache-Control": "no-store",
    }
    return Response(body, 200, headers, "application/json")


async def _security(site: Site, visitor: Visitor) -> dict[str, Any]:
    """Return the second factor, passkeys and waiting change of address, without secrets."""
    stored, codes_left = await site.two_factor.state(visitor)
    change = await site.email_changes.pending(visitor)
    shown = ("name", "is_synced", "sign_count", "created_at", "last_used_at")
    return {
        "two_factor_enabled_at": stored.enabled_at if stored else None,
        "recovery_codes_left": codes_left,
        "passkeys": [
            {name: getattr(passkey, name) for name in shown}
            for passkey in await site.passkeys.of(visitor)
        ],
        "requested_email": change.new_email if change else None,
    }


async def _alerts(site: Site, visitor: Visitor) -> dict[str, Any]:
    """Return watches, and the channels that they go to, without secrets."""
    found = await site.alerts.watches.list_all(visitor.account.account_id)
    shown = ("channel_id", "kind", "name", "digest", "state", "created_at", "confirmed_at")
    return {
        "watches": [asdict(watch) for watch in found.watches],
        "alert_channels": [
            {name: getattr(channel, name) for name in shown} | {"target": shown_target(channel)}
            for channel in found.channels
        ],
    }


async def _of_other_services(site: Site, visitor: Visitor) -> dict[str, Any]:
    """Return what other services store; `missing` has the parts of those that do not respond, with the reason."""
    parts: dict[str, Callable[[], Awaitable[list[dict[str, Any]]]]] = {
        "lists": lambda: _lists(site, visitor),
        "followed_channels": lambda: _all(lambda cursor: _follows(site, visitor, cursor)),
        "imports": lambda: _all(lambda cursor: _imports(site, visitor, cursor)),
        "reports": lambda: _all(lambda cursor: _reports(site, visitor, cursor)),
    }
    found: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, read in parts.items():
        try:
            found[name] = await read()
        except ServiceError as error:
            missing[name] = error.public_message
    return found | {"missing": missing}


async def _lists(site: Site, visitor: Visitor) -> list[dict[str, Any]]:
    exported: list[dict[str, Any]] = []
    for saved in await site.lists.lists(visitor):
        with suppress(NotFound):  # deleted meanwhile
            entries = await _all(
                lambda cursor, list_id=saved.id: _entries(site, visitor, list_id, cursor)
            )
            exported.append(asdict(saved) | {"entries": entries})
    return exported


async def _entries(site: Site, visitor: Visitor, list_id: str, cursor: str) -> Page:
    found = await site.lists.page(visitor, list_id, cursor)
    return found.entries, found.next_cursor


async def _follows(site: Site, visitor: Visitor, cursor: str) -> Page:
    found = await site.follows.page(visitor, cursor)
    return found.channels, found.next_cursor


async def _imports(site: Site, visitor: Visitor, cursor: str) -> Page:
    found = await site.imports.page(visitor, cursor)
    return found.imports, found.next_cursor


async def _reports(site: Site, visitor: Visitor, cursor: str) -> Page:
    found = await site.reports.page(visitor, cursor)
    return found.reports, found.next_cursor


async def _all(read: Callable[[str], Awaitable[Page]]) -> list[dict[str, Any]]:
    """Return the rows of all pages; the first has an empty cursor."""
    every: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        rows, cursor = await read(cursor)
        every += [asdict(row) for row in rows]
    return every


def _json_value(value: object) -> Any:
    return value.isoformat() if isinstance(value, date | datetime) else str(value)
