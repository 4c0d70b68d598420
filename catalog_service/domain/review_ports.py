"""Ports of reporting and reviewing to storage. Every method may raise `Unavailable`."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from catalog_service.domain.amendments import Correction
from catalog_service.domain.ports import Batch
from catalog_service.domain.queries import NumberedPage
from catalog_service.domain.references import VideoReference
from shapes.catalog.corrections import CorrectionLogEntry, ReviewedReport
from shapes.catalog.ingest import SponsorFact

State = Literal["accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class NewReport:
    """A validated report; `sponsor` is the number of the sponsor that it is about, if known."""

    account_id: str
    video_key: str
    kind: str
    sponsor: int | None
    sponsor_slug: str | None
    brand: str | None
    proposed_kind: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class Case:
    """An open report, with all that its decision needs."""

    number: int
    video_key: str
    kind: str
    sponsor_slug: str | None
    brand: str | None
    proposed_kind: str | None


@dataclass(frozen=True, slots=True)
class ReportDecision:
    """An operator's decision on a report; `applied` if it changed the catalogue."""

    state: State
    actor: str
    note: str | None
    applied: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """An entry for the correction log."""

    actor: str
    action: str
    report: int | None = None
    video_key: str | None = None
    sponsor_slug: str | None = None
    detail: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Merge:
    """A sponsor that is merged into another; `part` holds the facts about it."""

    part: SponsorFact
    into_slug: str
    actor: str
    note: str | None


class Reporting(Protocol):
    """One transaction of a caller's report; no other of the same account runs at the same time."""

    async def same(self, report: NewReport) -> int | None:
        """Return the number of the open report that says the same of the same sponsorship, and of the same brand."""
        ...

    async def open_reports(self, account_id: str) -> int: ...

    async def kind_of(self, video_key: str, sponsor: int) -> str | None:
        """Return the kind of the sponsor's sponsorship of the video; None if there is none."""
        ...

    async def add(self, report: NewReport) -> int:
        """Store the report and log it; return its number.

        Raises:
            Conflict: The sponsor was merged in this moment.
        """
        ...


class Review(Batch, Protocol):
    """One transaction of an operator; neither another nor a batch of the ingest runs meanwhile."""

    async def open_case(self, number: int) -> Case | None:
        """Return the report; None if it is not open."""
        ...

    async def settle(self, number: int, decision: ReportDecision) -> None: ...

    async def save_correction(
        self, video_key: str, correction: Correction, actor: str, report: int
    ) -> None:
        """Store a correction behind all that were decided before."""
        ...

    async def video_keys(self, sponsor_slug: str) -> Sequence[str]:
        """Return the keys of the sponsor's videos."""
        ...

    async def absorb(self, merge: Merge) -> None:
        """Store the merge; assign earlier merges, corrections and reports to the other sponsor."""
        ...

    async def forget_sponsor(self, slug: str) -> None:
        """Delete a sponsor that has no sponsorships any more."""
        ...

    async def note(self, change: Change) -> None:
        """Add an entry to the correction log."""
        ...


class ReviewStore(Protocol):
    """Opens transactions, which are committed at the end of their block, and reads."""

    def reporting(self, account_id: str) -> AbstractAsyncContextManager[Reporting]: ...

    def review(self) -> AbstractAsyncContextManager[Review]: ...

    async def find_video(self, reference: VideoReference) -> str | None:
        """Return the key of the video."""
        ...

    async def report(self, number: int) -> ReviewedReport | None: ...

    async def reports(self, state: str, page: NumberedPage) -> Sequence[ReviewedReport]:
        """Return reports, the oldest first."""
        ...

    async def own_reports(
        self, account_id: str, state: str | None, page: NumberedPage
    ) -> Sequence[ReviewedReport]:
        """Return an account's reports, of any state if it is None, the newest first."""
        ...

    async def log_entries(self, page: NumberedPage) -> Sequence[CorrectionLogEntry]:
        """Return entries of the correction log, the newest first."""
        ...
