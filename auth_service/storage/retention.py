"""Delete expired rows: old ledger entries, used codes, ended sessions, unused clients."""

import asyncio
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from sqlalchemy import Table, delete, exists, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service.storage.alerts.tables import alert_deliveries
from auth_service.storage.billing_tables import billing_events
from auth_service.storage.oauth import tables as oauth
from auth_service.storage.site import account_security_tables as account_security
from auth_service.storage.site import organisation_tables as organisations
from auth_service.storage.site import tables as site
from auth_service.storage.tables import (
    account_limits,
    accounts,
    call_batches,
    calls_daily,
    deleted_accounts,
    usage_entries,
)
from servicekit.observability import logs
from servicekit.process.steps import Step, run_steps

_INTERVAL_SECONDS: Final = 3_600.0
_UNUSED_CLIENT_AGE: Final = timedelta(days=14)
_IDLE_CLIENT_AGE: Final = timedelta(days=90)
_NEW_CLIENT_AGE: Final = timedelta(hours=1)
_DELIVERY_AGE: Final = timedelta(days=40)
"""Longer than a month's quota and an ended import are news, so that neither is delivered twice."""
_CALLS_AGE: Final = timedelta(days=200)
"""Longer than the six months that the page of usage shows."""
_MAX_UNUSED_CLIENTS: Final = 100_000
_BATCH: Final = 10_000
EXPIRING_TABLES: Final = (
    oauth.codes,
    oauth.pushed_requests,
    oauth.refresh_tokens,
    oauth.devices,
    oauth.assertions,
    site.web_sessions,
    site.mail_tokens,
    site.pending_consents,
    site.sign_ups,
    account_security.pending_logins,
    account_security.used_challenges,
    account_security.email_changes,
    organisations.invitations,
    site.mail_outbox,
    account_limits,
    deleted_accounts,
    billing_events,
    call_batches,
)

_LOGGED: Final = ("entries", "deliveries", "calls", "grants", "clients", "audit")

log = logs.get(__name__)


async def discard_before(engine: AsyncEngine, moment: datetime) -> int:
    """Delete the entries of calls admitted before `moment`; return their number."""
    return await _delete(engine, usage_entries, usage_entries.c.admitted_at < moment)


async def discard_expired(engine: AsyncEngine, table: Table, now: datetime) -> int:
    """Delete a table's rows that expired over a day ago; until then a replay is recognised as one."""
    return await _delete(engine, table, table.c.expires_at < now - timedelta(days=1))


async def discard_deliveries(engine: AsyncEngine, now: datetime) -> int:
    """Delete old deliveries that have ended, with their attempts; return their number."""
    columns = alert_deliveries.c
    is_old = columns.created_at < now - _DELIVERY_AGE
    return await _delete(engine, alert_deliveries, is_old, columns.state != "pending")


async def discard_calls(engine: AsyncEngine, now: datetime) -> int:
    """Delete the sums of days that no page shows any more, and of accounts that are gone."""
    columns = calls_daily.c
    is_old = columns.day < (now - _CALLS_AGE).date()
    is_orphan = ~exists(select(accounts.c.id).where(accounts.c.id == columns.account_id))
    return await _delete(engine, calls_daily, is_old | is_orphan)


async def discard_grants(engine: AsyncEngine, expired_before: datetime) -> int:
    """Delete grants that expired before a moment; return their number.

    Each token of a machine has a grant of its own, so that there are many: they are deleted in batches.
    """
    grants = oauth.grants.c
    batch = select(grants.grant_id).where(grants.expires_at < expired_before).limit(_BATCH)
    deleted = 0
    while count := await _delete(engine, oauth.grants, grants.grant_id.in_(batch)):
        deleted += count
    return deleted


async def delete_unused_clients(
    engine: AsyncEngine, now: datetime, max_unused: int = _MAX_UNUSED_CLIENTS
) -> int:
    """Delete registered clients long unused, except those with an active grant; return their number.

    Of never used clients older than an hour, only the newest `max_unused` stay.
    """
    table, grants = oauth.clients, oauth.grants
    living = exists(
        select(grants.c.grant_id).where(
            grants.c.client_id == table.c.client_id,
            grants.c.revoked_at.is_(None),
            grants.c.expires_at > now,
        )
    )
    registered = table.c.source == "registration"
    never_used = table.c.last_used_at.is_(None)
    is_new = table.c.created_at >= now - _NEW_CLIENT_AGE
    excess = table.c.client_id.in_(
        select(table.c.client_id)
        .where(registered, never_used, ~is_new)
        .order_by(table.c.created_at.desc())
        .offset(max_unused)
    )
    unused = never_used & (table.c.created_at < now - _UNUSED_CLIENT_AGE)
    idle = table.c.last_used_at < now - _IDLE_CLIENT_AGE
    return await _delete(engine, table, registered, unused | idle | excess, ~living)


async def _delete(engine: AsyncEngine, table: Any, *conditions: Any) -> int:
    async with engine.begin() as connection:
        result = await connection.execute(delete(table).where(*conditions))
    return int(result.rowcount)


async def discard_audit_before(engine: AsyncEngine, moment: datetime) -> int:
    """Delete the audit log's events before `moment`; return their number.

    A database function does it: the log's trigger refuses any other deletion.
    """
    async with engine.begin() as connection:
        return (await connection.execute(select(func.discard_audit_before(moment)))).scalar_one()


async def delete_expired_forever(engine: AsyncEngine, days: int, audit_days: int) -> None:
    """Delete expired rows every hour until cancelled; keep the audit log if `audit_days` is 0."""
    while True:
        await delete_expired(engine, datetime.now(UTC), days, audit_days)
        await asyncio.sleep(_INTERVAL_SECONDS)


async def delete_expired(engine: AsyncEngine, now: datetime, days: int, audit_days: int) -> None:
    """Delete expired rows, table by table: one that cannot be cleaned up leaves the others alone."""
    steps: list[Step] = [
        ("entries", partial(discard_before, engine, now - timedelta(days=days))),
        *(
            (f"expired {table.name}", partial(discard_expired, engine, table, now))
            for table in EXPIRING_TABLES
        ),
        ("deliveries", partial(discard_deliveries, engine, now)),
        ("calls", partial(discard_calls, engine, now)),
        ("clients", partial(delete_unused_clients, engine, now)),
    ]
    if audit_days:
        oldest = now - timedelta(days=audit_days)
        steps += [
            # The audit log and the usage name applications by their grants.
            ("grants", partial(discard_grants, engine, oldest)),
            ("audit", partial(discard_audit_before, engine, oldest)),
        ]
    done = await run_steps(steps)
    log.info(
        "cleanup_done",
        expired=sum(done[f"expired {table.name}"] for table in EXPIRING_TABLES),
        **{name: done[name] for name in _LOGGED},
    )
