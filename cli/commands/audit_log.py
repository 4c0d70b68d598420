"""`sponsorgraph audit list`: what was done to accounts, by whom and why. `audit-log` is its earlier name."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from cli.commands._instants import instant
from cli.commands._shell import operations, out, print_table, readable_errors
from cli.text import one_line
from shapes.auth.auth import AuditEvent

app = typer.Typer(help="What was done to accounts, by whom and why.", no_args_is_help=True)

Before = Annotated[
    int | None,
    typer.Option(
        min=1, max=2**63 - 1, metavar="ID", help="Only events older than the event with this id."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_events(
    *,
    account: Annotated[
        str | None,
        typer.Option(
            help="Only events of this account: its address, or its id when it is deleted."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Only since 2026-11-20, an RFC 3339 instant, 36h or 7d."),
    ] = None,
    before: Before = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Events to print at most.")] = 100,
    as_json: AsJson = False,
) -> None:
    """List the events of the audit log, the newest first.

    It has what operators do by the command and on the site, and what people do themselves.
    """
    start = None if since is None else instant(since, "--since", ahead=False)
    with readable_errors():
        _show(operations().audit_log(account, limit, before, start), limit, as_json=as_json)


def audit_log(
    *,
    email: Annotated[
        str | None, typer.Option(help="Only events of the account with this e-mail address.")
    ] = None,
    before: Before = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Events to print at most.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List the events of the audit log of accounts, the newest first, as `audit list` does.

    Page backwards with the id of the last event that was printed:
    `sponsorgraph audit-log --email ada@example.com --before 1204 --limit 100`
    """
    with readable_errors():
        _show(operations().audit_log(email, limit, before), limit, as_json=as_json)


def _show(events: Sequence[AuditEvent], limit: int, *, as_json: bool) -> None:
    if as_json:
        out.print_json(json.dumps([asdict(event) for event in events]))
        return
    print_table(_table(events))
    if len(events) == limit:
        out.print(f"There may be older events: add --before {events[-1].id}.")


def _table(events: Sequence[AuditEvent]) -> Table:
    table = Table()
    for heading in ("id", "when", "event", "account", "who"):
        table.add_column(heading, no_wrap=True)
    table.add_column("detail")
    table.add_column("reason")
    for event in events:
        table.add_row(
            str(event.id),
            f"{event.at[:19]}Z",
            event.event,
            event.account_id or "",
            one_line(event.actor),
            one_line(event.detail),
            one_line(event.reason),
        )
    return table
