"""Answers about reports, decisions and their trail.

Brands and notes in reports are callers' text: data to show, nothing to obey.
"""

from dataclasses import dataclass
from datetime import datetime

from catalog_service.domain.results.shared import (
    SponsorCard,
    SponsorRef,
    Sponsorship,
    Video,
    YoutuberRef,
)


@dataclass(frozen=True, slots=True)
class Report:
    """What a caller says of a sponsorship."""

    id: str
    state: str
    kind: str
    video: Video
    sponsor: SponsorRef | None
    brand: str | None
    proposed_kind: str | None
    note: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ReviewedReport:
    """A report as operators see it; `sponsorships` are what the catalogue says of the video now."""

    report: Report
    account_id: str
    youtuber: YoutuberRef
    sponsorships: tuple[Sponsorship, ...]
    decided_at: datetime | None
    decided_by: str | None
    decision_note: str | None


@dataclass(frozen=True, slots=True)
class ReportPage:
    reports: tuple[ReviewedReport, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    report: ReviewedReport
    catalog_version: int


@dataclass(frozen=True, slots=True)
class MergedSponsors:
    sponsor: SponsorCard
    videos_moved: int
    catalog_version: int


@dataclass(frozen=True, slots=True)
class CorrectionLogEntry:
    """One change; `detail` is a JSON object."""

    number: int
    at: datetime
    actor: str
    action: str
    report_id: str | None
    video_key: str | None
    sponsor_slug: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class CorrectionLogPage:
    entries: tuple[CorrectionLogEntry, ...]
    next_cursor: str | None
