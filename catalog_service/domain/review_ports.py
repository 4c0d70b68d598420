"""What reporting and reviewing need from storage. Everything may raise `Unavailable`."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from catalog_service.domain.amendments import Correction
from catalog_service.domain.facts import SponsorFact
from catalog_service.domain.ports import Batch
from catalog_service.domain.queries import NumberedPage
from catalog_service.domain.references import VideoReference
from catalog_service.domain.results.corrections import CorrectionLogEntry, ReviewedReport

State = Literal["open", "accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class NewReport:
    """A checked report. `sponsor` is the number of whose sponsorship it speaks, if that is known."""

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
    """An open report as its decision needs it."""

    number: int
    video_key: str
    kind: str
    sponsor_slug: str | None
    brand: str | None
    proposed_kind: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a report is decided, by whom."""

    state: State
    actor: str
    note: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """What the trail is told."""

    actor: str
    action: str
    report: int | None = None
    video_key: str | None = None
    sponsor_slug: str | None = None
    detail: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Merge:
    """A sponsor that becomes part of another; `part` is what it brings along."""

    part: SponsorFact
    into_slug: str
    actor: str
    note: str | None


class Reporting(Protocol):
    """One transaction of a caller's report; no other of the same account runs at the same time."""

    async def same(self, report: NewReport) -> int | None:
        """Number of the open report that says the same of the same sponsorship."""
        ...

    async def open_reports(self, account_id: str) -> int: ...

    async def kind_of(self, video_key: str, sponsor: int) -> str | None:
        """Kind of the sponsor's sponsorship of the video, None when there is none."""
        ...

    async def add(self, report: NewReport) -> int:
        """Keeps the report and tells the trail; gives its number.

        Raises:
            Conflict: The sponsor was merged in this moment.
        """
        ...


class Review(Batch, Protocol):
    """One transaction of an operator; neither another nor a batch of the ingest runs meanwhile."""

    async def open_case(self, number: int) -> Case | None:
        """The report, None when it is not open."""
        ...

    async def settle(self, number: int, verdict: Verdict) -> None: ...

    async def save_correction(
        self, video_key: str, correction: Correction, actor: str, report: int
    ) -> None:
        """Keeps a correction in place of an earlier one of the same sponsor in the video."""
        ...

    async def video_keys(self, sponsor_slug: str) -> Sequence[str]:
        """Keys of the sponsor's videos."""
        ...

    async def absorb(self, merge: Merge) -> None:
        """Keeps the merge; gives earlier merges, corrections and reports to the other sponsor."""
        ...

    async def forget_sponsor(self, slug: str) -> None:
        """Takes away a sponsor that has no sponsorships any more."""
        ...

    async def note(self, change: Change) -> None:
        """Adds to the trail."""
        ...


class ReviewStore(Protocol):
    """Opens transactions, which are committed at the end of their block, and reads."""

    def reporting(self, account_id: str) -> AbstractAsyncContextManager[Reporting]: ...

    def review(self) -> AbstractAsyncContextManager[Review]: ...

    async def find_video(self, reference: VideoReference) -> str | None:
        """Key of the video."""
        ...

    async def report(self, number: int) -> ReviewedReport | None: ...

    async def reports(self, state: str, page: NumberedPage) -> Sequence[ReviewedReport]:
        """The oldest first."""
        ...

    async def trail(self, page: NumberedPage) -> Sequence[CorrectionLogEntry]:
        """The newest first."""
        ...
