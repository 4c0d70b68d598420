"""`sponsorgraph reconcile`: whether ledger, sums of days and counters say the same."""

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from cli.commands._shell import id_column, operations, out, print_table, readable_errors
from shapes.auth.auth import UsageComparison


def reconcile(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """Compare the usage ledger with its sums of days and with the month's counters; change nothing."""
    with readable_errors():
        found = operations().compare_usage()
        if as_json:
            out.print_json(json.dumps(asdict(found)))
        else:
            _show(found)
    if found.found:
        raise typer.Exit(1)


def _show(found: UsageComparison) -> None:
    if found.differences:
        table = Table("kind", id_column("account"), "period", "by the ledger", "beside it")
        for difference in found.differences:
            table.add_row(
                difference.kind,
                difference.account_id,
                difference.period,
                f"{difference.ledger:,}",
                f"{difference.other:,}",
            )
        print_table(table)
    differences = f"{found.found:,} differences" if found.found else "No difference"
    out.print(f"{differences} between the ledger and what is kept beside it.")
    if found.counters_skipped:
        out.print(f"The counters were not compared: {found.counters_skipped}")
