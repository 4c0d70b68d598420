"""`sponsorgraph catalog`: what goes into the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from cli.commands._shell import catalog_target, err, out, readable_errors

if TYPE_CHECKING:
    from devstack.sample_loader import Loaded

app = typer.Typer(help="Fill the catalogue.", no_args_is_help=True)

_SHOWN_ERRORS = 20


@app.callback()
def catalog() -> None:
    """Fill the catalogue."""


@app.command("load")
def load_files(
    files: Annotated[
        list[Path],
        typer.Argument(exists=True, dir_okay=False, help="Catalogue, raw video or channel files."),
    ],
    *,
    max_errors: Annotated[int, typer.Option(help="Bad lines that are shown.")] = _SHOWN_ERRORS,
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


def _report(loaded: Loaded, max_errors: int) -> None:
    problems = loaded.refused
    for problem in problems[:max_errors]:
        err.print(problem, markup=False)
    if len(problems) > max_errors:
        err.print(f"… and {len(problems) - max_errors} more (see --max-errors)")
    report = loaded.report
    out.print(
        f"{report.created:,} created, {report.updated:,} updated, {report.unchanged:,} unchanged, "
        f"{len(problems):,} refused"
    )
