"""Signals of a sponsor beside what the texts of a video say of brands."""

from dataclasses import dataclass

from import_worker.domain.chapters import chapters
from import_worker.domain.segments import Segment
from import_worker.domain.sources import SourceVideo
from import_worker.domain.sponsor_chapters import SponsorChapter, sponsor_chapters


@dataclass(frozen=True, slots=True)
class VideoSignals:
    """Signals of YouTube, of the creator and of viewers; few of them name a brand.

    Attributes:
        paid_placement: YouTube's mark "includes paid promotion"; None when it does not say.
        sponsor_chapters: Chapters that are a sponsor's.
        segments: Sponsors' segments by SponsorBlock; None where it was not asked or did not answer.
    """

    paid_placement: bool | None = None
    sponsor_chapters: tuple[SponsorChapter, ...] = ()
    segments: tuple[Segment, ...] | None = None


def signals_of(video: SourceVideo) -> VideoSignals:
    """Return the signals of a video as its source gave it."""
    return VideoSignals(
        paid_placement=video.declares_placement,
        sponsor_chapters=sponsor_chapters(chapters(video.description, video.duration_seconds)),
        segments=video.segments,
    )
