"""`sponsorgraph request ID`: all that the stack logged about one request."""

import json
from collections.abc import Sequence
from typing import Annotated, Final

import typer
from rich.table import Table

from cli.commands._shell import known_stack, out, print_error, print_table, readable_errors
from cli.text import one_line
from devstack.log_search import Line, lines_of_request

_SHOWN: Final = frozenset(
    {"process", "service", "timestamp", "level", "event", "request_id", "trace_id", "exception"}
)


def request(
    identifier: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The id in the header X-Request-Id of the response, the id of a trace, or the one "
            "after the word error in a message.",
            show_default=False,
        ),
    ],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Show all that the stack logged about one request, the oldest line first.

    Every failed call has a line, with its account, tool and code. Of successful calls one in a hundred
    is logged (`GATEWAY_LOG_EVERY`). The command ends with 1 when there is no line.
    """
    if not identifier.strip():
        raise typer.BadParameter("It is empty.", param_hint="ID")
    with readable_errors():
        folder, _addresses = known_stack()
        lines = lines_of_request(folder.logs, identifier.strip())
        if not lines:
            print_error(
                f"No log in {folder.logs} has the request {identifier}. Failed calls are all logged, "
                "of successful ones one in a hundred (GATEWAY_LOG_EVERY)."
            )
            raise typer.Exit(1)
        if as_json:
            for line in lines:
                typer.echo(json.dumps(line))
        else:
            print_table(_table(lines))
            _print_tracebacks(lines)


def _table(lines: Sequence[Line]) -> Table:
    table = Table("when", "process", "level", "event", "facts")
    for line in lines:
        facts = " ".join(f"{name}={value}" for name, value in line.items() if name not in _SHOWN)
        cells = (
            line.get("timestamp"),
            line["process"],
            line.get("level"),
            line.get("event"),
            facts,
        )
        table.add_row(*(_printable(cell) for cell in cells))
    return table


def _print_tracebacks(lines: Sequence[Line]) -> None:
    for line in lines:
        if "exception" in line:
            for text in str(line["exception"]).splitlines():
                out.print(_printable(text), soft_wrap=True)


def _printable(value: object) -> str:
    """Return a logged text so that it neither styles nor steers the terminal."""
    return one_line("" if value is None else str(value))
