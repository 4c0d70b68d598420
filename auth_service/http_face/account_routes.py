"""The account's pages: usage, keys, applications, sessions, security log, settings."""

import json
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain import usage as ledger
from auth_service.domain.api_keys import ApiKey
from auth_service.domain.oauth import redirects
from auth_service.domain.oauth.scopes import DESCRIPTIONS
from auth_service.domain.operations import NewKey
from auth_service.domain.plans import API_KEYS
from auth_service.domain.site import typed
from auth_service.domain.site.own_account import PasswordChange
from auth_service.domain.site.ports import ConnectedApp
from auth_service.domain.usage import Usage
from auth_service.http_face import charts
from auth_service.http_face.site import Site
from auth_service.http_face.visits import Needs, Visit, get, post, status_of
from servicekit.errors import InvalidInput, ServiceError

_MONTHS: Final = 6
_NOTICES: Final = {
    "revoked": "The key is revoked. Whatever uses it is refused from now on.",
    "app-revoked": "The application is disconnected.",
    "apps-revoked": "All applications are disconnected.",
    "session-ended": "The session is ended.",
    "sessions-ended": "All other sessions are ended.",
    "password": "Your password is changed.",
}


def routes(site: Site) -> list[Route]:
    """All pages under /account."""

    def page(path: str, handler: Any) -> Route:
        return get(site, f"/account{path}", handler, Needs.VISITOR)

    def action(path: str, handler: Any) -> Route:
        return post(site, f"/account{path}", handler, Needs.VISITOR)

    return [
        page("", _usage),
        page("/keys", _keys),
        action("/keys", _create_key),
        action("/keys/revoke", _revoke_key),
        page("/apps", _apps),
        action("/apps/revoke", _revoke_app),
        action("/apps/disconnect-all", _revoke_all_apps),
        page("/sessions", _sessions),
        action("/sessions/end", _end_session),
        action("/sessions/end-others", _end_other_sessions),
        page("/security", _security),
        page("/settings", _settings),
        action("/settings/password", _change_password),
        action("/settings/delete", _delete),
        page("/export", _export),
    ]


def _notice(visit: Visit) -> str | None:
    return _NOTICES.get(visit.request.query_params.get("notice", ""))


async def _usage(visit: Visit) -> Response:
    own, now = visit.site.own_account, datetime.now(UTC)
    months = _last_months(now)
    asked = visit.request.query_params.get("month", "")
    month = asked if asked in dict(months) else months[0][0]
    usage = await own.usage(visit.who, month)
    current = usage if month == months[0][0] else await own.usage(visit.who, months[0][0])
    days, tools = _by_day(usage, month, now), _by_tool(usage)
    plan = own.plan(visit.who)
    _, resets_on = ledger.month_bounds(months[0][0])
    return visit.page(
        "account.html",
        usage={
            "used": current.requests,
            "limit": plan.monthly_requests,
            "resets_on": resets_on,
        },
        upgrade_text=_upgrade_text(visit),
        chart_days=charts.columns([(f"{d.day} {d:%b}", n) for d, n in days], "Requests by day"),
        chart_tools=charts.rows(tools, "Requests by tool"),
        days=days,
        tools=tools,
        months=months,
        month=month,
    )


def _last_months(now: datetime) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    first = now.date().replace(day=1)
    for _ in range(_MONTHS):
        found.append((f"{first:%Y-%m}", f"{first:%B %Y}"))
        first = (first - timedelta(days=1)).replace(day=1)
    return found


def _by_day(usage: Usage, month: str, now: datetime) -> list[tuple[date, int]]:
    first, following = ledger.month_bounds(month)
    counts: defaultdict[date, int] = defaultdict(int)
    for entry in usage.by_day:
        counts[entry.day] += entry.requests
    last = min(following - timedelta(days=1), max(now.date(), first))
    return [
        (first + timedelta(days=n), counts[first + timedelta(days=n)])
        for n in range((last - first).days + 1)
    ]


def _by_tool(usage: Usage) -> list[tuple[str, int]]:
    counts: defaultdict[str, int] = defaultdict(int)
    for entry in usage.by_day:
        counts[entry.tool] += entry.requests
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _upgrade_text(visit: Visit) -> str:
    plan = visit.site.own_account.plan(visit.who)
    larger = [
        other
        for other in visit.site.operations.plans.values()
        if other.monthly_requests > plan.monthly_requests
    ]
    if not larger:
        return "You have the largest plan."
    offers = ", ".join(f"{other.name} has {other.monthly_requests:,}" for other in larger)
    return f"{offers} requests a month. Write to the operator of this service to change plan."


async def _keys(visit: Visit) -> Response:
    return await _keys_page(visit, notice=_notice(visit))


async def _keys_page(visit: Visit, status: int = 200, **shown: Any) -> Response:
    own = visit.site.own_account
    plan = own.plan(visit.who)
    now = datetime.now(UTC)
    context: dict[str, Any] = {
        "plan_has_keys": plan.has(API_KEYS),
        "scopes": [(scope, DESCRIPTIONS[scope], True) for scope in plan.scopes],
        "keys": [_shown_key(key, now) for key in await own.keys(visit.who)],
        "new_key": None,
        **shown,
    }
    return visit.page("keys.html", status, **context)


def _shown_key(key: ApiKey, now: datetime) -> dict[str, Any]:
    expired = key.expires_at is not None and key.expires_at <= now
    status = "revoked" if key.revoked_at else "expired" if expired else "active"
    return {name: getattr(key, name) for name in ApiKey.__dataclass_fields__} | {"status": status}


async def _create_key(visit: Visit) -> Response:
    try:
        wanted = NewKey(visit.value("name"), visit.values("scope"), _days(visit.value("expires")))
        secret, _ = await visit.site.own_account.create_key(
            visit.who, visit.value("password"), wanted
        )
    except ServiceError as error:
        typed = {"name": visit.value("name"), "expires": visit.value("expires")}
        return await _keys_page(visit, status_of(error), error=error.public_message, **typed)
    return await _keys_page(visit, new_key=secret)


def _days(text: str) -> int | None:
    days = typed.number(text)
    if text and days is None:
        raise InvalidInput("Choose when the key expires.", details={"field": "expires"})
    return days


async def _revoke_key(visit: Visit) -> Response:
    await visit.site.own_account.revoke_key(visit.who, visit.value("key_id"))
    return visit.go("/account/keys?notice=revoked")


async def _apps(visit: Visit) -> Response:
    apps = [_shown_app(app) for app in await visit.site.own_account.apps(visit.who)]
    return visit.page("apps.html", apps=apps, notice=_notice(visit))


def _shown_app(app: ConnectedApp) -> dict[str, Any]:
    return {
        "client_id": app.client_id,
        "name": app.name,
        "hosts": sorted({redirects.displayed_host(uri) for uri in app.redirect_uris}),
        "scopes": app.scopes,
        "connected_at": app.connected_at,
        "last_used_at": app.last_used_at,
    }


async def _revoke_app(visit: Visit) -> Response:
    await visit.site.own_account.revoke_app(visit.who, visit.value("client_id"))
    return visit.go("/account/apps?notice=app-revoked")


async def _revoke_all_apps(visit: Visit) -> Response:
    await visit.site.own_account.revoke_all_apps(visit.who)
    return visit.go("/account/apps?notice=apps-revoked")


async def _sessions(visit: Visit) -> Response:
    current = visit.who.session.session_id
    sessions = [
        {
            "session_id": session.session_id,
            "user_agent": session.user_agent,
            "created_at": session.created_at,
            "last_seen_at": session.last_seen_at,
            "current": session.session_id == current,
        }
        for session in await visit.site.own_account.sessions(visit.who)
    ]
    return visit.page("sessions.html", sessions=sessions, notice=_notice(visit))


async def _end_session(visit: Visit) -> Response:
    await visit.site.own_account.end_session(visit.who, visit.value("session_id"))
    return visit.go("/account/sessions?notice=session-ended")


async def _end_other_sessions(visit: Visit) -> Response:
    await visit.site.own_account.end_other_sessions(visit.who)
    return visit.go("/account/sessions?notice=sessions-ended")


async def _security(visit: Visit) -> Response:
    events = await visit.site.own_account.security_log(visit.who)
    return visit.page("security.html", events=events)


async def _settings(visit: Visit) -> Response:
    return visit.page("settings.html", notice=_notice(visit))


async def _change_password(visit: Visit) -> Response:
    change = PasswordChange(
        visit.value("current"),
        visit.value("password"),
        end_sessions=bool(visit.value("end_sessions")),
        revoke_apps=bool(visit.value("revoke_apps")),
        revoke_keys=bool(visit.value("revoke_keys")),
    )
    try:
        await visit.site.own_account.change_password(visit.who, change)
    except ServiceError as error:
        return visit.failure("settings.html", error, error_form="password")
    return visit.go("/account/settings?notice=password")


async def _delete(visit: Visit) -> Response:
    try:
        await visit.site.own_account.delete(
            visit.who, visit.value("password"), visit.value("confirm_email")
        )
    except ServiceError as error:
        return visit.failure("settings.html", error, error_form="delete")
    visit.log_out()
    return visit.go("/?notice=deleted")


async def _export(visit: Visit) -> Response:
    document = await visit.site.own_account.export(visit.who)
    body = json.dumps(document, indent=2, default=_json_value)
    headers = {
        "Content-Disposition": 'attachment; filename="sponsorgraph-export.json"',
        "Cache-Control": "no-store",
    }
    return Response(body, 200, headers, "application/json")


def _json_value(value: object) -> Any:
    return value.isoformat() if isinstance(value, date | datetime) else str(value)
