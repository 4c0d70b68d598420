"""`sponsorgraph audit-log`: what was done to accounts, and by whom."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cli.commands._shell import operations, out, readable_errors
from devstack.clients.operations import AuditEvent

_MIN_WIDTH: Final = 160


def audit_log(
    *,
    email: Annotated[
        str | None, typer.Option(help="Only events of the account with this e-mail address.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Events to print at most.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the events of the audit log of accounts, the newest first."""
    with readable_errors():
        events = operations().audit_log(email, limit)
        if as_json:
            out.print_json(json.dumps([asdict(event) for event in events]))
        else:
            # Ids and times are there to be copied: a narrow terminal wraps the rows, nothing is cut.
            Console(width=max(out.width, _MIN_WIDTH), highlight=False).print(_table(events))


def _table(events: Sequence[AuditEvent]) -> Table:
    table = Table()
    for heading in ("when", "event", "account", "who"):
        table.add_column(heading, no_wrap=True)
    table.add_column("detail")
    for event in events:
        table.add_row(
            f"{event.at[:19]}Z",
            event.event,
            event.account_id or "",
            _printable(event.actor),
            _printable(event.detail),
        )
    return table


def _printable(text: str) -> str:
    """Return other people's text so that it neither styles nor steers the terminal."""
    return escape("".join(item if item.isprintable() else " " for item in text))
