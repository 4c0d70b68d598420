"""`sponsorgraph corrections`: what callers report, and what operators decide about it."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final, Literal

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from cli.commands._shell import out, readable_errors, running_stack
from devstack.clients.corrections import CorrectionsClient
from devstack.settings import RemoteSettings
from shapes.catalog.corrections import CorrectionLogEntry, ReviewedReport
from shapes.catalog.shared import Sponsorship

app = typer.Typer(
    help="Reports of wrong sponsorships, and brands that are one.", no_args_is_help=True
)

ReportId = Annotated[str, typer.Argument(help="Id of the report, such as r_12.")]
Note = Annotated[str | None, typer.Option(help="Why; kept with the decision.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=1000, help="Most lines to print.")]
SponsorName = Annotated[str, typer.Argument(help="Id or slug of a sponsor.")]

_LONGEST: Final = 600


def _client() -> CorrectionsClient:
    remote = RemoteSettings()
    token = remote.operator_token.get_secret_value()
    if remote.catalog_grpc and token:
        return CorrectionsClient(remote.catalog_grpc, token, remote.credentials())
    home, addresses = running_stack()
    keys = home.secrets()
    credentials = addresses.credentials("cli", keys)
    return CorrectionsClient(addresses.catalog_grpc, keys.operator_token, credentials)


@app.command("list")
def list_reports(
    *,
    state: Annotated[
        Literal["open", "accepted", "rejected"], typer.Option(help="Reports of this state.")
    ] = "open",
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List reports, the oldest first."""
    with readable_errors():
        found = _client().reports(state, limit)
        if as_json:
            out.print_json(msgspec.json.encode(found).decode())
            return
        table = Table("id", "kind", "brand", "is said to be", "creator", "video", "reported")
        for item in found:
            table.add_row(*_row(item))
        out.print(table)


@app.command("show")
def show(report_id: ReportId, *, as_json: AsJson = False) -> None:
    """Show a report and what the catalogue says of the video now."""
    with readable_errors():
        _show(_client().report(report_id), as_json=as_json)


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
        _show(_client().decide(report_id, "accept", note, sponsor), as_json=as_json)


@app.command("reject")
def reject(report_id: ReportId, *, note: Note = None, as_json: AsJson = False) -> None:
    """Leave everything as it is and close a report."""
    with readable_errors():
        _show(_client().decide(report_id, "reject", note), as_json=as_json)


@app.command("merge")
def merge(
    gone: SponsorName,
    target: SponsorName,
    *,
    note: Note = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Make the first sponsor part of the second, for ever."""
    if not yes:
        typer.confirm(f"Merge {gone} into {target}? It cannot be undone.", abort=True)
    with readable_errors():
        merged = _client().merge(gone, target, note)
        name = _plain(f"{merged.sponsor.name} ({merged.sponsor.slug})")
        out.print(f"{_plain(gone)} is part of {name} now; {merged.videos_moved:,} videos moved.")


@app.command("trail")
def show_log(*, limit: Limit = 50, as_json: AsJson = False) -> None:
    """List every change, the newest first."""
    with readable_errors():
        found = _client().log(limit)
        if as_json:
            entries = [
                msgspec.to_builtins(item) | {"detail": json.loads(item.detail)} for item in found
            ]
            out.print_json(json.dumps(entries))
            return
        table = Table("number", "when", "who", "what", "report", "video", "brand")
        for item in found:
            table.add_row(*_step(item))
        out.print(table)


def _show(found: ReviewedReport, *, as_json: bool) -> None:
    if as_json:
        out.print_json(msgspec.json.encode(found).decode())
        return
    report = found.report
    lines = [
        f"[bold]{report.id}[/bold] {report.kind}, {report.state}",
        f"video:    {_plain(report.video.title or report.video.id)} {report.video.url or ''}",
        f"creator:  {_plain(found.youtuber.name)}, {report.video.published_at}",
        f"brand:    {_plain(report.sponsor.name if report.sponsor else '')}",
        f"said:     {_plain(_sponsor_or_brand(report.brand, report.proposed_kind))}",
        f"note:     {_plain(report.note or '')}",
        f"reported: {_minute(report.created_at)} by account {_plain(found.account_id)}",
    ]
    if found.decided_at is not None:
        decided_by = _plain(found.decided_by or "")
        lines.append(f"decided:  {_minute(found.decided_at)} by {decided_by}")
        lines.append(f"because:  {_plain(found.decision_note or '')}")
    out.print("\n".join(line.rstrip() for line in lines))
    out.print(_claims(found.sponsorships))


def _minute(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")[:16]


def _claims(claims: Sequence[Sponsorship]) -> Table:
    table = Table("sponsor now", "kind", "confidence", "detector", "evidence")
    for claim in claims:
        evidence = claim.evidence.excerpt or claim.evidence.reason
        table.add_row(
            _plain(f"{claim.sponsor.name} ({claim.sponsor.slug})"),
            claim.kind,
            f"{claim.confidence:.2f}",
            _plain(claim.detector_version),
            _plain(evidence),
        )
    return table


def _row(reviewed: ReviewedReport) -> tuple[str, ...]:
    report = reviewed.report
    return (
        report.id,
        report.kind,
        _plain(report.sponsor.slug if report.sponsor else ""),
        _plain(_sponsor_or_brand(report.brand, report.proposed_kind)),
        _plain(reviewed.youtuber.name),
        _plain(report.video.id),
        str(report.created_at.date()),
    )


def _step(entry: CorrectionLogEntry) -> tuple[str, ...]:
    return (
        str(entry.number),
        entry.at.isoformat(timespec="seconds")[:19],
        _plain(entry.actor),
        entry.action,
        entry.report_id or "",
        _plain(entry.video_key or ""),
        _plain(entry.sponsor_slug or ""),
    )


def _sponsor_or_brand(brand: str | None, kind: str | None) -> str:
    return ", ".join(part for part in (brand, kind) if part)


def _plain(text: str) -> str:
    """Other people's text, so that it neither styles nor steers the terminal."""
    printable = "".join(item if item.isprintable() else " " for item in text)
    return escape(printable if len(printable) <= _LONGEST else f"{printable[:_LONGEST]}…")
