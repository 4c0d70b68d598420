"""`sponsorgraph account …`: deletion, new passwords, and what has access to an account."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Final

import typer

from cli.commands._account_tables import show_account, show_grants, show_json, show_sessions
from cli.commands._shell import (
    account_operations,
    err,
    operations,
    out,
    print_error,
    readable_errors,
)
from cli.commands.accounts import AsJson, Email, PersonEmail, Reason
from cli.text import one_line
from shapes.auth.auth import Account

_DELETED_WITH_IT = (
    "Deleted with it: the password, second factor and passkeys, API keys, connections, sessions, "
    "watches with their channels, followed channels, saved lists, memberships and open invitations."
)
_DELETED_WITH_ORGANISATION = (
    "Deleted with it: API keys, connections, watches with their channels, followed channels, saved lists, "
    "memberships and open invitations. Its members stay, and are told by mail."
)
_STAYS = (
    "What stays, under the account's id and without its address: the calls and their daily sums, the "
    "audit log, imports and reports. Until the month ends also a keyed hash of the address, so that a "
    "new account of it does not begin the month anew. A subscription at Stripe is ended within seconds."
)


def delete(
    email: Email,
    *,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask for the address; for scripts.")
    ] = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Delete an account, or an organisation, for ever; asks for its address to be typed."""
    with readable_errors():
        account = operations().account(email)
        if not yes:
            _confirm(account)
        deleted = account_operations(reason).delete(account.email)
        if as_json:
            show_json(asdict(deleted))
            return
        out.print(
            f"{deleted.email} ({deleted.account_id}) is deleted. Revoked with it: API keys: "
            f"{deleted.keys}, connections: {deleted.connections}.",
            soft_wrap=True,
        )


def _confirm(account: Account) -> None:
    """Tell what the deletion means, and end the command unless the address is typed."""
    requests = f"{account.requests_this_month:,} requests this month"
    for line in (
        f"{account.email} ({account.account_id}): plan {account.plan}, {requests}.",
        _DELETED_WITH_ORGANISATION if account.email == account.account_id else _DELETED_WITH_IT,
        _STAYS,
    ):
        err.print(line, soft_wrap=True)
    typed = typer.prompt(f"Type {account.email} to delete it", err=True)
    if typed.strip().lower() != account.email.lower():
        print_error("That is another address. Nothing was deleted.")
        raise typer.Exit(1)


def reset_password(email: PersonEmail, *, reason: Reason = "", as_json: AsJson = False) -> None:
    """Mail a person a link to choose a new password; the old one works until they do."""
    with readable_errors():
        account = account_operations(reason).send_password_reset(email)
        if as_json:
            show_account(account, as_json=True)
            return
        out.print(
            f"A link that works for an hour is on its way to {account.email}.",
            soft_wrap=True,
        )


def sessions(email: PersonEmail, *, as_json: AsJson = False) -> None:
    """List the browsers in which a person is logged in."""
    with readable_errors():
        show_sessions(account_operations().sessions(email), as_json=as_json)


def end_sessions(
    email: PersonEmail,
    *,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Only the one with this id.")
    ] = None,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Log a person out everywhere, or in one browser. Connections and API keys go on."""
    with readable_errors():
        ended = account_operations(reason).end_sessions(email, session)
        if as_json:
            show_sessions(ended, as_json=True)
            return
        out.print(f"{_count(ended, 'session')} ended.")


def grants(email: Email, *, as_json: AsJson = False) -> None:
    """List the connections of applications to an account; its API keys are in `key list`."""
    with readable_errors():
        show_grants(account_operations().grants(email), as_json=as_json)


def revoke_grant(
    grant_id: Annotated[str, typer.Argument(help="Id of the connection, from `account grants`.")],
    *,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """End one connection of an application for ever; a single API key is ended by `key revoke`."""
    with readable_errors():
        grant = account_operations(reason).revoke_grant(grant_id)
        if as_json:
            show_json(asdict(grant))
            return
        name = one_line(grant.client_name)
        out.print(f"{grant.grant_id} ({name}) of {grant.account_id} is revoked.", soft_wrap=True)
        if grant.client_id.startswith("machine_"):
            out.print(
                f"It is a machine's, which gets another by itself: `sponsorgraph issuer remove-machine {grant.client_id}` ends its access.",
                soft_wrap=True,
            )


def _count(items: Sequence[object], noun: str) -> str:
    number = len(items)
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"


COMMANDS: Final[Mapping[str, Callable[..., None]]] = {
    "delete": delete,
    "reset-password": reset_password,
    "sessions": sessions,
    "end-sessions": end_sessions,
    "grants": grants,
    "revoke-grant": revoke_grant,
}
"""Commands of `sponsorgraph account`, by name."""
