"""`sponsorgraph catalog`: what goes into the catalogue, and whether its sums are right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from cli.commands._backup_shell import readable
from cli.commands._databases import database_urls
from cli.commands._shell import catalog_target, err, out, print_error, print_table, readable_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog_service.rollup_rebuild import Drift
    from devstack.sample_loader import Loaded

app = typer.Typer(help="Fill the catalogue, and check its rollups.", no_args_is_help=True)

_SHOWN_ERRORS = 20


@app.callback()
def catalog() -> None:
    """Fill the catalogue, and check its rollups."""


@app.command("load")
def load_files(
    files: Annotated[
        list[Path],
        typer.Argument(exists=True, dir_okay=False, help="Catalogue, raw video or channel files."),
    ],
    *,
    max_errors: Annotated[
        int, typer.Option(min=0, help="Bad lines that are shown.")
    ] = _SHOWN_ERRORS,
    strict: Annotated[bool, typer.Option(help="Fail when any line was bad.")] = False,
) -> None:
    """Load files into the catalogue; loading them again changes nothing.

    Taken are the project's own format (JSON lines with a `type`), raw videos (JSON lines with
    title and description, which the detector reads), and channel lists (CSV), plain or gzipped.
    """
    from devstack.sample_loader import load  # noqa: PLC0415 - with it comes the detector

    with readable_errors():
        target, credentials = catalog_target()
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
        with Progress(
            *columns, TextColumn("{task.completed:,} records"), TimeElapsedColumn(), console=err
        ) as progress:
            task = progress.add_task("Loading", total=None)
            loaded = load(
                target, files, lambda sent: progress.update(task, completed=sent), credentials
            )
            progress.update(task, total=loaded.sent, completed=loaded.sent)
        _report(loaded, max_errors)
        failed = len(loaded.bad_lines) + len(loaded.report.rejected)
        taken = loaded.report.created + loaded.report.updated + loaded.report.unchanged
        if failed and (strict or not taken):
            raise typer.Exit(1)


@app.command("rebuild-rollups")
def rebuild_rollups(
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; end with 1 if anything is off.")
    ] = False,
) -> None:
    """Compute all rollups from the sponsorships and videos again, and bring those that are off up to date.

    The services go on meanwhile, imports as well. It reaches the database that the environment names, else the home's.
    """
    with readable(), database_urls() as urls:
        if "catalog" not in urls:
            print_error("No setting names the catalogue's database: set CATALOG_DATABASE_URL.")
            raise typer.Exit(1)
        found = _rebuild(urls["catalog"], repairs=not check)
    if not found:
        out.print("All rollups say what the sponsorships and videos say.")
        return
    table = Table("rollup", "rows that were off")
    for drift in found:
        table.add_row(drift.table, f"{drift.rows:,}")
    print_table(table)
    if check:
        raise typer.Exit(1)
    out.print("They say what the sponsorships and videos say now.")


def _rebuild(url: str, *, repairs: bool) -> Sequence[Drift]:
    from catalog_service.rollup_rebuild import (  # noqa: PLC0415 - with it comes the driver
        CatalogUnusableError,
        RebuildRunningError,
        rebuild,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=err) as progress:
        tasks: dict[str, TaskID] = {}

        def report(table: str, done: int, ranges: int) -> None:
            if table not in tasks:
                tasks[table] = progress.add_task(table, total=ranges)
            progress.update(tasks[table], completed=done)

        try:
            return rebuild(url, report, repairs=repairs)
        except RebuildRunningError as error:
            print_error(
                "The rollups of this catalogue are being rebuilt already: wait for its end."
            )
            raise typer.Exit(1) from error
        except CatalogUnusableError as error:
            print_error(str(error))
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            err.print("Interrupted. What was brought up to date stays so; the next run goes on.")
            raise


def _report(loaded: Loaded, max_errors: int) -> None:
    problems = loaded.refused
    for problem in problems[:max_errors]:
        err.print(problem)
    if len(problems) > max_errors:
        err.print(f"… and {len(problems) - max_errors} more (see --max-errors)")
    report = loaded.report
    out.print(
        f"{report.created:,} created, {report.updated:,} updated, {report.unchanged:,} unchanged, "
        f"{len(problems):,} refused"
    )
