"""Accounts, keys, sessions, connections and usage, for people and for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from cli.commands._shell import id_column, out, print_table
from cli.text import one_line
from shapes.auth.auth import Account, AccountLimits, AccountUsage, ApiKey, Grant, Machine, Session


def show_json(value: Any) -> None:
    """Print JSON."""
    out.print_json(json.dumps(value))


def show_account(account: Account, *, as_json: bool) -> None:
    """Print one account, with the limits of its own below."""
    if as_json:
        show_json(asdict(account))
        return
    show_accounts([account], as_json=False)


def show_accounts(found: Sequence[Account], *, as_json: bool) -> None:
    """Print accounts, with the limits of their own below."""
    if as_json:
        show_json([asdict(account) for account in found])
        return
    table = Table(id_column("e-mail"), "plan", "requests this month", "state", "created")
    for account in found:
        used = f"{account.requests_this_month:,} of {account.monthly_requests:,}"
        state = "disabled" if account.disabled else "active"
        state += ", operator" if account.is_operator else ""
        table.add_row(account.email, account.plan, used, state, account.created_at[:10])
    print_table(table)
    for account in found:
        if account.limits is not None:
            text = f"{account.email} has limits of its own: {_limits_text(account.limits)}"
            out.print(one_line(text), soft_wrap=True)


def _limits_text(limits: AccountLimits) -> str:
    texts = (
        (limits.monthly_requests, "{:,} requests a month"),
        (limits.burst_requests, "{:,} at once"),
        (limits.burst_refill_per_second, "{:g} a second"),
        (limits.concurrent_streams, "{:,} streams at each gateway"),
    )
    values = ", ".join(text.format(value) for value, text in texts if value is not None)
    until = "" if limits.expires_at is None else f", until {limits.expires_at[:16]}Z"
    return f"{values}{until}. Reason: {limits.reason}"


def show_machines(found: Sequence[Machine], *, as_json: bool) -> None:
    """Print machines that act for an account."""
    if as_json:
        show_json([asdict(machine) for machine in found])
        return
    table = Table(id_column("client id"), "name", "added", "last token")
    for machine in found:
        table.add_row(
            machine.client_id,
            one_line(machine.name),
            machine.created_at[:10],
            (machine.last_used_at or "never")[:16],
        )
    print_table(table)


def show_keys(found: Sequence[ApiKey], *, as_json: bool) -> None:
    """Print API keys."""
    if as_json:
        show_json([asdict(key) for key in found])
        return
    table = Table(
        id_column("id"), "name", id_column("key"), "created", "last used", "expires", "state"
    )
    for key in found:
        state = "active" if key.revoked_at is None else f"revoked {key.revoked_at[:10]}"
        table.add_row(
            key.key_id,
            key.name,
            key.masked,
            key.created_at[:10],
            (key.last_used_at or "never")[:16],
            (key.expires_at or "never")[:10],
            state,
        )
    print_table(table)


def show_sessions(found: Sequence[Session], *, as_json: bool) -> None:
    """Print sessions."""
    if as_json:
        show_json([asdict(session) for session in found])
        return
    if not found:
        out.print("Nobody is logged in to this account.")
        return
    table = Table(id_column("id"), "browser", "since", "last seen", "expires")
    for session in found:
        table.add_row(
            session.session_id,
            one_line(session.user_agent),
            session.created_at[:16],
            session.last_seen_at[:16],
            session.expires_at[:10],
        )
    print_table(table)


def show_grants(found: Sequence[Grant], *, as_json: bool) -> None:
    """Print connections of applications."""
    if as_json:
        show_json([asdict(grant) for grant in found])
        return
    if not found:
        out.print("No application is connected.")
        return
    table = Table(
        id_column("id"),
        "application",
        id_column("account"),
        "scopes",
        "since",
        "last used",
        "expires",
        "connected by",
    )
    for grant in found:
        table.add_row(
            grant.grant_id,
            one_line(grant.client_name),
            grant.account_id,
            " ".join(grant.scopes),
            grant.created_at[:16],
            (grant.last_used_at or "never")[:16],
            grant.expires_at[:10],
            one_line(grant.member or ""),
        )
    print_table(table)


def show_usage(usage: AccountUsage, *, by_key: bool, as_json: bool) -> None:
    """Print an account's requests of a month, by key or by tool."""
    rows = usage.by_key if by_key else usage.by_tool
    if as_json:
        head = {
            "account_id": usage.account_id,
            "month": usage.month,
            "requests": usage.requests,
            "monthly_requests": usage.monthly_requests,
        }
        show_json(head | {"by_key" if by_key else "by_tool": [asdict(row) for row in rows]})
        return
    if rows:
        print_table(_keys_table(usage) if by_key else _tools_table(usage))
    allowed = f"{usage.monthly_requests:,} a month are allowed now"
    out.print(f"{usage.requests:,} requests in {usage.month}; {allowed}.")


def _keys_table(usage: AccountUsage) -> Table:
    table = Table(id_column("key or connection"), "name", "made by", "requests")
    for row in usage.by_key:
        name, member = one_line(row.name), one_line(row.member)
        table.add_row(row.credential_id, name, member, f"{row.requests:,}")
    return table


def _tools_table(usage: AccountUsage) -> Table:
    table = Table(id_column("tool"), "requests")
    for row in usage.by_tool:
        table.add_row(one_line(row.tool), f"{row.requests:,}")
    return table
