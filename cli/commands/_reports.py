"""Reports on a terminal: the client of the operators' commands, and a report in full."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec
from rich.table import Table

from cli.clients.corrections import CorrectionsClient
from cli.commands._shell import operator, out, print_table, running_stack
from cli.text import one_line
from devstack.settings import RemoteSettings
from servicekit.settings import read
from shapes.catalog.corrections import Report, ReviewedReport
from shapes.catalog.shared import Sponsorship

_LONGEST: Final = 600


def corrections_client() -> CorrectionsClient:
    """Return a client of the catalog that the environment names, else of the running stack."""
    remote = read(RemoteSettings)
    token = remote.operator_token.get_secret_value()
    if remote.catalog_grpc and token:
        return CorrectionsClient(remote.catalog_grpc, token, remote.credentials(), operator(""))
    home, addresses = running_stack()
    keys = home.secrets()
    credentials = addresses.credentials("cli", keys)
    return CorrectionsClient(addresses.catalog_grpc, keys.operator_token, credentials, operator(""))


def show_report(found: ReviewedReport, *, as_json: bool) -> None:
    """Print a report, and what the catalogue says of its video now."""
    if as_json:
        out.print_json(msgspec.json.encode(found).decode())
        return
    report = found.report
    lines = [
        f"{report.id} {report.kind}, {_state_of(report)}",
        f"video:    {plain(report.video.title or report.video.id)} {report.video.url or ''}",
        f"creator:  {plain(found.youtuber.name)}, {report.video.published_at}",
        f"brand:    {plain(_reported_brand(report))}",
        f"said:     {plain(_said(found))}",
        f"note:     {plain(report.note or '')}",
        f"reported: {_minute(report.created_at)} by account {plain(found.account_id)}",
    ]
    if found.decided_at is not None:
        decided_by = plain(found.decided_by or "")
        lines.append(f"decided:  {_minute(found.decided_at)} by {decided_by}")
        lines.append(f"because:  {plain(found.decision_note or '')}")
    lines += [f"see also: {_other(other)}" for other in found.others]
    out.print("\n".join(line.rstrip() for line in lines))
    print_table(_claims(found.sponsorships))


def _reported_brand(report: Report) -> str:
    name = report.sponsor.name if report.sponsor else ""
    if report.reported_sponsor is None:
        return name
    return f"{name}, which {report.reported_sponsor} was merged into since it was reported"


def _state_of(report: Report) -> str:
    """Return the state of a report, and which later one decided otherwise."""
    if report.replaced_by is None:
        return report.state
    return f"{report.state}, replaced by {report.replaced_by}"


def _other(report: Report) -> str:
    """Return another report of the video in a line: it may be of the same sponsorship, or contradict this one."""
    brand = report.sponsor.name if report.sponsor else report.brand or ""
    return f"{report.id} {report.kind}, {plain(brand)}: {_state_of(report)}"


def _said(found: ReviewedReport) -> str:
    """Return what is said to be right, and which brand accepting it names."""
    report = found.report
    said = sponsor_or_brand(report.brand, report.proposed_kind)
    if report.brand is None or found.decided_at is not None:
        return said
    known = found.brand_sponsor
    meaning = f"{known.name} ({known.slug})" if known else "no brand of that name: a new one"
    return f"{said} ({meaning})"


def _minute(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")[:16]


def _claims(claims: Sequence[Sponsorship]) -> Table:
    table = Table("sponsor now", "kind", "confidence", "detector", "evidence")
    for claim in claims:
        evidence = claim.evidence.excerpt or claim.evidence.reason
        table.add_row(
            plain(f"{claim.sponsor.name} ({claim.sponsor.slug})"),
            claim.kind,
            f"{claim.confidence:.2f}",
            plain(claim.detector_version),
            plain(evidence),
        )
    return table


def sponsor_or_brand(brand: str | None, kind: str | None) -> str:
    """Return what a report proposes."""
    return ", ".join(part for part in (brand, kind) if part)


def plain(text: str) -> str:
    """Return other people's text, shortened, so that it neither styles nor steers the terminal."""
    return one_line(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
