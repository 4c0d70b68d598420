"""`sponsorgraph account` and `sponsorgraph key`: what operators do for people."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from cli.commands._shell import operations, out, readable_errors
from devstack.clients.operations import Account, ApiKey

accounts = typer.Typer(help="Accounts and their plans.", no_args_is_help=True)
keys = typer.Typer(help="API keys.", no_args_is_help=True)
issuer = typer.Typer(help="The authorization server.", no_args_is_help=True)

Email = Annotated[str, typer.Argument(help="E-mail address of the account.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _show(found: Sequence[Account], *, as_json: bool) -> None:
    if as_json:
        out.print_json(json.dumps([asdict(account) for account in found]))
        return
    table = Table("e-mail", "plan", "requests this month", "state", "created")
    for account in found:
        used = f"{account.requests_this_month:,} of {account.monthly_requests:,}"
        state = "disabled" if account.disabled else "active"
        table.add_row(account.email, account.plan, used, state, account.created_at[:10])
    out.print(table)


@accounts.command("create")
def create_account(
    email: Email,
    *,
    plan: Annotated[str, typer.Option(help="free, creator or creator_agent.")] = "free",
    password_stdin: Annotated[bool, typer.Option(help="Read a password from stdin.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create an account."""
    with readable_errors():
        password = sys.stdin.readline().rstrip("\n") if password_stdin else None
        _show([operations().create_account(email, plan, password)], as_json=as_json)


@accounts.command("set-plan")
def set_plan(
    email: Email,
    plan: Annotated[str, typer.Argument(help="free, creator or creator_agent.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Move an account to another plan; its keys stop or work again with it."""
    with readable_errors():
        _show([operations().set_plan(email, plan)], as_json=as_json)


@accounts.command("operator")
def operator(
    email: Email,
    *,
    remove: Annotated[bool, typer.Option("--remove", help="Close the page to it again.")] = False,
) -> None:
    """Open the operator's page of the site to an account."""
    with readable_errors():
        _show([operations().set_operator(email, operator=not remove)], as_json=False)


@accounts.command("disable")
def disable(email: Email) -> None:
    """Close an account to every credential."""
    with readable_errors():
        _show([operations().set_disabled(email, disabled=True)], as_json=False)


@accounts.command("enable")
def enable(email: Email) -> None:
    """Open a disabled account again."""
    with readable_errors():
        _show([operations().set_disabled(email, disabled=False)], as_json=False)


@accounts.command("show")
def show(email: Email, *, as_json: AsJson = False) -> None:
    """Show an account and its use of this month."""
    with readable_errors():
        _show([operations().account(email)], as_json=as_json)


@accounts.command("list")
def list_accounts(*, as_json: AsJson = False) -> None:
    """List all accounts."""
    with readable_errors():
        _show(operations().accounts(), as_json=as_json)


@keys.command("create")
def create_key(
    email: Email,
    *,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "script",
    expires_in_days: Annotated[int | None, typer.Option(help="Never when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create an API key and show it, this once."""
    with readable_errors():
        secret, key = operations().create_key(email, name, expires_in_days)
        if as_json:
            out.print_json(json.dumps({"api_key": secret, **asdict(key)}))
            return
        out.print(f"[bold]{secret}[/bold]\nIt is not shown again. Its id is {key.key_id}.")


@keys.command("list")
def list_keys(email: Email, *, as_json: AsJson = False) -> None:
    """List an account's keys."""
    with readable_errors():
        found = operations().keys(email)
        if as_json:
            out.print_json(json.dumps([asdict(key) for key in found]))
            return
        table = Table("id", "name", "key", "created", "last used", "expires", "state")
        for key in found:
            table.add_row(*_row(key))
        out.print(table)


def _row(key: ApiKey) -> tuple[str, ...]:
    state = "active" if key.revoked_at is None else f"revoked {key.revoked_at[:10]}"
    used = (key.last_used_at or "never")[:16]
    expires = (key.expires_at or "never")[:10]
    return key.key_id, key.name, key.masked, key.created_at[:10], used, expires, state


@keys.command("revoke")
def revoke_key(key_id: Annotated[str, typer.Argument(help="Id of the key.")]) -> None:
    """Revoke an API key for ever."""
    with readable_errors():
        key = operations().revoke_key(key_id)
        out.print(f"{key.key_id} ({key.name}) is revoked.")


@issuer.command("rotate-key")
def rotate_key() -> None:
    """Let the published next key sign access tokens; those signed before stay good."""
    with readable_errors():
        out.print(
            f"Access tokens are signed by key {operations().rotate_signing_key()} from now on."
        )


@issuer.command("add-machine")
def add_machine(
    email: Annotated[str, typer.Argument(help="E-mail address of the account it acts for.")],
    keys_file: Annotated[Path, typer.Argument(help="Its public keys, a JWK set.")],
    *,
    name: Annotated[str, typer.Option(help="What it is called.")] = "Machine",
) -> None:
    """Let a machine of yours in: client credentials with private_key_jwt, and introspection."""
    with readable_errors():
        client_id = operations().create_machine(email, name, keys_file.read_text())
        out.print(f"client_id: {client_id}")
