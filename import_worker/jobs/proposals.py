"""Candidates of the detector for one video: `propose` is all that the second reader's step knows of the detector."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from import_worker.detector import LEAST_PROBABILITY, ChannelContext, Detection
from import_worker.detector import propose as propose_brands
from import_worker.domain.second_reader import Candidate
from import_worker.domain.signals import signals_of
from import_worker.domain.sources import SourceVideo


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate with all that would be published of it.

    Attributes:
        detection: The claim; its `confidence` is the candidate's probability.
        is_published: Whether the rules publish it by themselves.
        reader: The second reader that confirmed or found it.
        is_tentative: Whether the rules alone would publish no such brand: it changes none that is known.
    """

    detection: Detection
    is_published: bool = True
    reader: str | None = None
    is_tentative: bool = False

    @property
    def candidate(self) -> Candidate:
        """The part of it that decisions are made on."""
        found = self.detection
        return Candidate(found.brand, found.domain, found.kind, found.confidence, found.excerpt)


@dataclass(frozen=True, slots=True)
class ProposedVideo:
    """A video with its candidates, and the time of its reading."""

    video: SourceVideo
    read_at: datetime
    proposals: tuple[Proposal, ...]

    @property
    def published(self) -> tuple[Proposal, ...]:
        """The proposals that are published, in their order."""
        return tuple(proposal for proposal in self.proposals if proposal.is_published)


def propose(video: SourceVideo, context: ChannelContext) -> tuple[Proposal, ...]:
    """Return the candidates of a video, also those that are too unsure to be published."""
    found = propose_brands(
        video.title,
        video.description,
        context,
        category=video.category_number,
        signals=signals_of(video),
    )
    return tuple(
        Proposal(detection, is_published=detection.confidence >= LEAST_PROBABILITY)
        for detection in found
    )


def propose_all(
    videos: Iterable[tuple[SourceVideo, datetime]],
    context: ChannelContext,
    propose_one: Callable[[SourceVideo, ChannelContext], tuple[Proposal, ...]] = propose,
) -> Sequence[ProposedVideo]:
    """Return videos with their candidates; each comes with the time of its reading."""
    return [ProposedVideo(video, read_at, propose_one(video, context)) for video, read_at in videos]
