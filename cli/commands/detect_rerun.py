"""`sponsorgraph detect rerun`: the detector over all stored videos, and what that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from cli.commands._shell import (
    err,
    left_running,
    out,
    print_table,
    readable_errors,
    redetections,
)

if TYPE_CHECKING:
    from shapes.imports import Redetection


def rerun(
    *,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Count what would change; write nothing, and send no text to a second reader.",
        ),
    ] = False,
    outdated: Annotated[
        bool, typer.Option("--outdated", help="Only videos that another detector version has read.")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Only show the newest run, an automatic one too.")
    ] = False,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Stop the run within a batch; what it wrote stays.")
    ] = False,
) -> None:
    """Run the detector over all stored videos again, without YouTube, and say what that changed.

    Workers do it, in batches: Ctrl-C leaves it running, and the same command joins it. Videos whose
    texts are not stored, as those of the sample and of loaded files, are not read: load the files again.
    """
    with readable_errors():
        client = redetections()
        if status or cancel:
            run = client.cancel() if cancel else client.newest()
        else:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            with Progress(*columns, TimeElapsedColumn(), console=err) as progress:
                task = progress.add_task("Waiting for a worker", total=None)

                def show(now: Redetection) -> None:
                    text = "Waiting for a worker" if now.state == "queued" else _changes(now)
                    total = now.videos_total if now.state != "queued" else None
                    progress.update(task, description=text, total=total, completed=now.videos_done)

                with left_running("The run", "sponsorgraph detect rerun --status"):
                    run = client.follow(dry_run=dry_run, only_outdated=outdated, on_change=show)
        _report(run)
    if run.channels_failed or (run.state != "done" and not (status or cancel)):
        raise typer.Exit(1)


def _changes(run: Redetection) -> str:
    return f"{run.added:,} added, {run.removed:,} removed, {run.changed:,} changed"


def _report(run: Redetection) -> None:
    kinds = [
        name
        for name, holds in (
            ("dry run", run.dry_run),
            ("outdated videos only", run.only_outdated),
            ("started by an upgrade", run.automatic),
        )
        if holds
    ]
    version = f" by detector {run.detector_version}" if run.detector_version else ""
    notes = f" ({', '.join(kinds)})" if kinds else ""
    out.print(
        f"Run {run.run_id}{notes}: {run.state}. {run.videos_done:,} of {run.videos_total:,} videos of "
        f"{run.channels_total:,} channels read{version}."
    )
    _explain_no_texts(run)
    would = "would change" if run.dry_run else "changed"
    out.print(f"{run.videos_changed:,} videos {would}; sponsorships: {_changes(run)}.")
    if run.videos_incomparable:
        out.print(
            f"Of {run.videos_incomparable:,} videos no detailed result is stored, as an older release read them or the "
            "catalogue refused them: of them only added and removed brands are counted."
        )
    if run.channels_failed:
        out.print(f"{run.channels_failed:,} channels could not be read; the workers' log says why.")
    if run.brands:
        table = Table("brand", "added", "removed", "changed")
        for brand in run.brands:
            counts = (f"{count:,}" for count in (brand.added, brand.removed, brand.changed))
            table.add_row(Text(brand.name, overflow="fold"), *counts)
        print_table(table)


def _explain_no_texts(run: Redetection) -> None:
    if not run.videos_total and run.state == "done" and not run.only_outdated:
        out.print(
            "No video has its texts stored, which the detector reads: those of the bundled sample and of "
            "loaded files are not kept. Load the files again to read them anew."
        )
