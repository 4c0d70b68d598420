"""The pages of the account: keys, applications, sessions, security log, settings."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.api_keys import MAX_NAME, ApiKey
from auth_service.domain.oauth import redirects
from auth_service.domain.oauth.scopes import DESCRIPTIONS
from auth_service.domain.operations import NewKey
from auth_service.domain.organisations.access import may_revoke
from auth_service.domain.organisations.model import Member
from auth_service.domain.plans import API_KEYS
from auth_service.domain.ports import AuditEvent
from auth_service.domain.site import form_values
from auth_service.domain.site.account_service import PasswordChange
from auth_service.domain.site.countries import place_name
from auth_service.domain.site.device_names import device_name
from auth_service.domain.site.ports import ConnectedApp
from auth_service.web import new_secrets
from auth_service.web.event_sentences import actor_of, sentence_of
from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import InvalidInput, ServiceError

_NOTICES: Final = {
    "revoked": "The key is revoked. Whatever uses it is refused from now on.",
    "app-revoked": "The app is disconnected.",
    "apps-revoked": "All apps are disconnected.",
    "session-ended": "The session is ended.",
    "sessions-ended": "All other sessions are ended.",
    "password": "Your password is changed.",
    "email-requested": "Two mails are on their way. Your address changes when both links are confirmed.",
    "email-cancelled": "Your address stays as it is.",
}


def routes(site: Site) -> list[Route]:
    """Return the routes under /account."""

    def page(path: str, handler: Any) -> Route:
        return get(site, f"/account{path}", handler, Audience.VISITOR)

    def action(path: str, handler: Any) -> Route:
        return post(site, f"/account{path}", handler, Audience.VISITOR)

    return [
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
    ]


def _notice(page: PageRequest) -> str | None:
    return _NOTICES.get(page.request.query_params.get("notice", ""))


async def _keys(page: PageRequest) -> Response:
    context = await _keys_context(page)
    # Read last: a page that fails must not lose the key.
    return page.render(
        "keys.html", **context, notice=_notice(page), new_key=new_secrets.take(page, "key")
    )


async def _keys_context(page: PageRequest) -> dict[str, Any]:
    account_service = page.site.account_service
    plan = account_service.plan(page.required_visitor)
    now, visitor = datetime.now(UTC), page.required_visitor
    makers = {m.account_id: m.email for m in await page.site.organisations.members(visitor)}
    return {
        "plan_has_keys": plan.has(API_KEYS),
        "scopes": [(scope, DESCRIPTIONS[scope]) for scope in plan.scopes],
        "chosen_scopes": plan.scopes,
        "max_name": MAX_NAME,
        "keys": [
            _displayed_key(key, now)
            | {
                "maker": makers.get(key.created_by or "", "somebody who left"),
                "may_revoke": may_revoke(visitor, key),
            }
            for key in await account_service.keys(visitor)
        ],
    }


def _displayed_key(key: ApiKey, now: datetime) -> dict[str, Any]:
    expired = key.expires_at is not None and key.expires_at <= now
    status = "revoked" if key.revoked_at else "expired" if expired else "active"
    permissions = [DESCRIPTIONS.get(scope, scope) for scope in key.scopes]
    known = {name: getattr(key, name) for name in ApiKey.__dataclass_fields__}
    return known | {"status": status, "permissions": permissions}


async def _create_key(page: PageRequest) -> Response:
    try:
        new_key = NewKey(page.value("name"), _scopes(page), _days(page.value("expires")))
        secret, _ = await page.site.account_service.create_key(
            page.required_visitor, page.value("password"), new_key
        )
    except ServiceError as error:
        form_values = {
            "name": page.value("name"),
            "expires": page.value("expires"),
            "chosen_scopes": page.values("scope"),
        }
        context: dict[str, Any] = await _keys_context(page) | form_values
        return page.render("keys.html", http_status(error), **context, error=error.public_message)
    new_secrets.announce(page, "key", secret)
    return page.redirect("/account/keys")


def _scopes(page: PageRequest) -> tuple[str, ...]:
    chosen = page.values("scope")
    if not chosen:  # which means all of the plan's elsewhere
        raise InvalidInput("Choose at least one permission.", details={"field": "scope"})
    return chosen


def _days(text: str) -> int | None:
    days = form_values.number(text)
    if text and days is None:
        raise InvalidInput("Choose when the key expires.", details={"field": "expires"})
    return days


async def _revoke_key(page: PageRequest) -> Response:
    await page.site.account_service.revoke_key(page.required_visitor, page.value("key_id"))
    return page.redirect("/account/keys?notice=revoked")


async def _apps(page: PageRequest) -> Response:
    apps = [
        _displayed_app(app) for app in await page.site.account_service.apps(page.required_visitor)
    ]
    return page.render("apps.html", apps=apps, notice=_notice(page))


def _displayed_app(app: ConnectedApp) -> dict[str, Any]:
    return {
        "client_id": app.client_id,
        "name": app.name,
        "hosts": sorted({redirects.displayed_host(uri) for uri in app.redirect_uris}),
        "scopes": app.scopes,
        "connected_at": app.connected_at,
        "last_used_at": app.last_used_at,
        "members": app.members,
    }


async def _revoke_app(page: PageRequest) -> Response:
    await page.site.account_service.revoke_app(page.required_visitor, page.value("client_id"))
    return page.redirect("/account/apps?notice=app-revoked")


async def _revoke_all_apps(page: PageRequest) -> Response:
    await page.site.account_service.revoke_all_apps(page.required_visitor)
    return page.redirect("/account/apps?notice=apps-revoked")


async def _sessions(page: PageRequest) -> Response:
    current = page.required_visitor.session.session_id
    sessions = [
        {
            "session_id": session.session_id,
            "device": device_name(session.user_agent),
            "place": place_name(session.address),
            "created_at": session.created_at,
            "last_seen_at": session.last_seen_at,
            "current": session.session_id == current,
        }
        for session in await page.site.account_service.sessions(page.required_visitor)
    ]
    return page.render("sessions.html", sessions=sessions, notice=_notice(page))


async def _end_session(page: PageRequest) -> Response:
    await page.site.account_service.end_session(page.required_visitor, page.value("session_id"))
    return page.redirect("/account/sessions?notice=session-ended")


async def _end_other_sessions(page: PageRequest) -> Response:
    await page.site.account_service.end_other_sessions(page.required_visitor)
    return page.redirect("/account/sessions?notice=sessions-ended")


async def _security(page: PageRequest) -> Response:
    visitor = page.required_visitor
    events = await page.site.account_service.security_log(visitor)
    members = await page.site.organisations.members(visitor)
    names = {key.key_id: f"“{key.name}”" for key in await page.site.account_service.keys(visitor)}
    apps = await page.site.account_service.app_names(events)
    names |= {app_id: f"“{name}”" for app_id, name in apps.items()}
    names |= {plan.plan_id: plan.name for plan in page.site.operations.plans.values()}
    named = [_with_addresses(event, members) for event in events]
    return page.render(
        "security.html",
        events=[
            {
                "at": event.at,
                "name": event.event,
                "sentence": sentence_of(event, names),
                "actor": actor_of(event),
            }
            for event in named
        ],
    )


def _with_addresses(event: AuditEvent, members: Sequence[Member]) -> AuditEvent:
    """Return an event of an organisation with the addresses of its members instead of their ids."""
    actor, detail = event.actor, event.detail
    for member in members:
        actor = actor.replace(f"member {member.account_id}", member.email)
        detail = detail.replace(member.account_id, member.email)
    return replace(event, actor=actor, detail=detail)


async def _settings(page: PageRequest) -> Response:
    return await settings_page(page, notice=_notice(page))


async def settings_page(
    page: PageRequest, error: ServiceError | None = None, **values: Any
) -> Response:
    """Render the settings."""
    stored, _ = await page.site.two_factor.state(page.required_visitor)
    context: dict[str, Any] = {
        "two_factor_is_on": stored is not None,
        "passkeys": len(await page.site.passkeys.of(page.required_visitor)),
        "passkeys_are_available": page.site.passkeys.is_available,
        "email_change": await page.site.email_changes.pending(page.required_visitor),
        "new_email": "",
        **values,
    }
    if error is not None:
        return page.render_failure("settings.html", error, **context)
    return page.render("settings.html", **context)


async def _change_password(page: PageRequest) -> Response:
    change = PasswordChange(
        page.value("current"),
        page.value("password"),
        end_sessions=bool(page.value("end_sessions")),
        revoke_apps=bool(page.value("revoke_apps")),
        revoke_keys=bool(page.value("revoke_keys")),
    )
    try:
        await page.site.account_service.change_password(page.required_visitor, change)
    except ServiceError as error:
        return await settings_page(page, error, error_form="password")
    return page.redirect("/account/settings?notice=password")


async def _delete(page: PageRequest) -> Response:
    try:
        await page.site.account_service.delete(
            page.required_visitor, page.value("password"), page.value("confirm_email")
        )
    except ServiceError as error:
        return await settings_page(page, error, error_form="delete")
    page.log_out()
    return page.redirect("/?notice=deleted")
