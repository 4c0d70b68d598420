"""`sponsorgraph corrections`: what callers report, and what operators decide about it."""

import json
from typing import Annotated, Final, Literal

import msgspec
import typer
from rich.table import Table

from cli.commands._reports import corrections_client, plain, show_report, sponsor_or_brand
from cli.commands._shell import id_column, out, print_table, readable_errors
from shapes.catalog.corrections import CorrectionLogEntry, ReviewedReport

app = typer.Typer(
    help="Reports of wrong sponsorships, and brands that are one.", no_args_is_help=True
)

ReportId = Annotated[str, typer.Argument(help="Id of the report, such as r_12.")]
Note = Annotated[
    str | None, typer.Option(help="Why; kept with the decision, and shown to whoever reported.")
]
MergeNote = Annotated[
    str | None, typer.Option("--note", help="Why; kept in the log of corrections.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=1000, help="Most lines to print.")]
_OF_ONE_REPORT: Final = ("others", "brand_sponsor")
"""What the catalog service looks up for a single report alone."""

SponsorName = Annotated[str, typer.Argument(help="Id or slug of a sponsor.")]


@app.command("list")
def list_reports(
    *,
    state: Annotated[
        Literal["received", "accepted", "rejected", "applied"],
        typer.Option(help="Reports of this state."),
    ] = "received",
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List reports, the oldest first."""
    with readable_errors():
        found = corrections_client().reports(state, limit)
        if as_json:
            listed = [_listed(item) for item in found]
            out.print_json(msgspec.json.encode(listed).decode())
            return
        table = Table(
            id_column("id"),
            "kind",
            id_column("brand"),
            "is said to be",
            "creator",
            id_column("video"),
            "reported",
            id_column("replaced by"),
        )
        for item in found:
            table.add_row(*_row(item))
        print_table(table)


@app.command("show")
def show(report_id: ReportId, *, as_json: AsJson = False) -> None:
    """Show a report and what the catalogue says of the video now."""
    with readable_errors():
        show_report(corrections_client().report(report_id), as_json=as_json)


@app.command("accept")
def accept(
    report_id: ReportId,
    *,
    note: Note = None,
    sponsor: Annotated[
        str | None,
        typer.Option(
            help="Which sponsor the reported brand is. Without it and without a sponsor of "
            "that name, a new one is made."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make what a report says true, now and for later imports."""
    with readable_errors():
        show_report(
            corrections_client().decide(report_id, "accept", note, sponsor), as_json=as_json
        )


@app.command("reject")
def reject(report_id: ReportId, *, note: Note = None, as_json: AsJson = False) -> None:
    """Leave everything as it is and close a report."""
    with readable_errors():
        show_report(corrections_client().decide(report_id, "reject", note), as_json=as_json)


@app.command("merge")
def merge(
    gone: SponsorName,
    target: SponsorName,
    *,
    note: MergeNote = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Make the first sponsor part of the second, for ever."""
    if not yes:
        typer.confirm(f"Merge {gone} into {target}? It cannot be undone.", abort=True)
    with readable_errors():
        merged = corrections_client().merge(gone, target, note)
        name = plain(f"{merged.sponsor.name} ({merged.sponsor.slug})")
        out.print(f"{plain(gone)} is part of {name} now; {merged.videos_moved:,} videos moved.")


@app.command("trail", hidden=True)  # the name of before
@app.command("log")
def show_log(*, limit: Limit = 50, as_json: AsJson = False) -> None:
    """List every change, the newest first."""
    with readable_errors():
        found = corrections_client().log(limit)
        if as_json:
            entries = [
                msgspec.to_builtins(item) | {"detail": json.loads(item.detail)} for item in found
            ]
            out.print_json(json.dumps(entries))
            return
        table = Table(
            "number",
            "when",
            "who",
            "what",
            id_column("report"),
            id_column("video"),
            id_column("brand"),
        )
        for item in found:
            table.add_row(*_step(item))
        print_table(table)


def _listed(reviewed: ReviewedReport) -> dict[str, object]:
    """Return the fields of a report that lists have, too; `show` has the others."""
    fields: dict[str, object] = msgspec.to_builtins(reviewed)
    return {name: value for name, value in fields.items() if name not in _OF_ONE_REPORT}


def _row(reviewed: ReviewedReport) -> tuple[str, ...]:
    report = reviewed.report
    return (
        report.id,
        report.kind,
        plain(report.sponsor.slug if report.sponsor else ""),
        plain(sponsor_or_brand(report.brand, report.proposed_kind)),
        plain(reviewed.youtuber.name),
        plain(report.video.id),
        str(report.created_at.date()),
        report.replaced_by or "",
    )


def _step(entry: CorrectionLogEntry) -> tuple[str, ...]:
    return (
        str(entry.number),
        entry.at.isoformat(timespec="seconds")[:19],
        plain(entry.actor),
        entry.action,
        entry.report_id or "",
        plain(entry.video_key or ""),
        plain(entry.sponsor_slug or ""),
    )
