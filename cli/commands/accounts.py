"""`sponsorgraph account` and `sponsorgraph key`: what operators do for people."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cli.commands._account_tables import show_account, show_accounts, show_keys, show_machines
from cli.commands._shell import operations, out, readable_errors

accounts = typer.Typer(help="Accounts and their plans.", no_args_is_help=True)
keys = typer.Typer(help="API keys.", no_args_is_help=True)
issuer = typer.Typer(help="The authorization server.", no_args_is_help=True)

Email = Annotated[
    str, typer.Argument(help="E-mail address of the account, or the id of an organisation (org_…).")
]
PersonEmail = Annotated[str, typer.Argument(help="E-mail address of the person's account.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Reason = Annotated[str, typer.Option(help="Why; stays in the audit log.")]


@accounts.command("create")
def create_account(
    email: PersonEmail,
    *,
    plan: Annotated[str, typer.Option(help="free, creator or creator_agent.")] = "free",
    password_stdin: Annotated[bool, typer.Option(help="Read a password from stdin.")] = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Create an account."""
    with readable_errors():
        password = sys.stdin.readline().rstrip("\n") if password_stdin else None
        show_account(operations(reason).create_account(email, plan, password), as_json=as_json)


@accounts.command("set-plan")
def set_plan(
    email: Email,
    plan: Annotated[str, typer.Argument(help="free, creator or creator_agent.")],
    *,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Move an account to another plan; its keys stop or work again with it."""
    with readable_errors():
        show_account(operations(reason).set_plan(email, plan), as_json=as_json)


@accounts.command("operator")
def operator(
    email: Email,
    *,
    remove: Annotated[bool, typer.Option("--remove", help="Close the page to it again.")] = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Open the operator's page of the site to an account."""
    with readable_errors():
        show_account(operations(reason).set_operator(email, operator=not remove), as_json=as_json)


@accounts.command("disable")
def disable(email: Email, *, reason: Reason = "", as_json: AsJson = False) -> None:
    """Close an account to every credential."""
    with readable_errors():
        show_account(operations(reason).set_disabled(email, disabled=True), as_json=as_json)


@accounts.command("enable")
def enable(email: Email, *, reason: Reason = "", as_json: AsJson = False) -> None:
    """Open a disabled account again."""
    with readable_errors():
        show_account(operations(reason).set_disabled(email, disabled=False), as_json=as_json)


@accounts.command("show")
def show(email: Email, *, as_json: AsJson = False) -> None:
    """Show an account and its use of this month."""
    with readable_errors():
        show_account(operations().account(email), as_json=as_json)


@accounts.command("list")
def list_accounts(
    *,
    top: Annotated[
        int | None, typer.Option(min=1, help="Only so many that made most requests this month.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List all accounts."""
    with readable_errors():
        found = operations().accounts()
        if top is not None:
            found = sorted(found, key=lambda account: -account.requests_this_month)[:top]
        show_accounts(found, as_json=as_json)


@keys.command("create")
def create_key(
    email: Email,
    *,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "script",
    expires_in_days: Annotated[
        int | None, typer.Option(min=1, max=3650, help="Never when left out.")
    ] = None,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Create an API key and show it, this once."""
    with readable_errors():
        secret, key = operations(reason).create_key(email, name, expires_in_days)
        if as_json:
            out.print_json(json.dumps({"api_key": secret, **asdict(key)}))
            return
        out.print(secret, style="bold", soft_wrap=True)
        out.print(f"It is not shown again. Its id is {key.key_id}.")


@keys.command("list")
def list_keys(email: Email, *, as_json: AsJson = False) -> None:
    """List an account's keys."""
    with readable_errors():
        found = operations().keys(email)
        show_keys(found, as_json=as_json)


@keys.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(help="Id of the key.")],
    *,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Revoke an API key for ever."""
    with readable_errors():
        key = operations(reason).revoke_key(key_id)
        if as_json:
            out.print_json(json.dumps(asdict(key)))
            return
        out.print(f"{key.key_id} ({key.name}) is revoked.")


@issuer.command("rotate-key")
def rotate_key(*, reason: Reason = "", as_json: AsJson = False) -> None:
    """Let the published next key sign access tokens; those signed before stay good.

    A key that was published within the last minutes signs as soon as every gateway can have it.
    """
    with readable_errors():
        kid, active_from = operations(reason).rotate_signing_key()
        if as_json:
            out.print_json(json.dumps({"kid": kid, "active_from": active_from}))
            return
        out.print(f"Access tokens are signed by key {kid} from {active_from} on.", soft_wrap=True)


@issuer.command("add-machine")
def add_machine(
    email: Annotated[str, typer.Argument(help="E-mail address of the account it acts for.")],
    keys_file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="Its public keys, a JWK set.")
    ],
    *,
    name: Annotated[str, typer.Option(help="What it is called.")] = "Machine",
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Let a machine of yours in: client credentials with private_key_jwt, and introspection."""
    with readable_errors():
        machine = operations(reason).create_machine(email, name, keys_file.read_text())
        if as_json:
            out.print_json(json.dumps(asdict(machine)))
            return
        out.print(f"client_id: {machine.client_id}")


@issuer.command("machines")
def machines(email: Email, *, as_json: AsJson = False) -> None:
    """List the machines that act for an account by client credentials."""
    with readable_errors():
        show_machines(operations().machines(email), as_json=as_json)


@issuer.command("remove-machine")
def remove_machine(
    client_id: Annotated[str, typer.Argument(help="Its id, from `issuer machines`.")],
    *,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """End the access of a machine for ever, with the tokens that it has."""
    with readable_errors():
        machine = operations(reason).remove_machine(client_id)
        if as_json:
            out.print_json(json.dumps(asdict(machine)))
            return
        out.print(f"{machine.client_id} ({machine.name}) has no access any more.")
