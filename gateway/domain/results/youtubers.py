"""Answers of the `youtuber.*` tools."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from gateway.domain.results.shared import (
    Codes,
    Confidence,
    Coverage,
    Cursor,
    DetectorVersion,
    Evidence,
    FirstSeen,
    Kind,
    Kinds,
    LastSeen,
    Period,
    RelationStatus,
    Share,
    SponsorCard,
    SponsorRef,
    Video,
    VideoCount,
    ViewCount,
    YoutuberCard,
    YoutuberRef,
)

ChannelCoverage = Annotated[Coverage, "What of the channel has been looked at."]


@dataclass(frozen=True, slots=True)
class YoutuberPage:
    """Creators that match, best first."""

    youtubers: Annotated[tuple[YoutuberCard, ...], "The creators."]
    next_cursor: Cursor


@dataclass(frozen=True, slots=True)
class YoutuberSponsor:
    """A brand's history with the creator."""

    sponsor: Annotated[SponsorRef, "The brand."]
    videos: VideoCount
    first_seen: FirstSeen
    last_seen: LastSeen
    views: ViewCount
    status: RelationStatus
    kinds: Kinds
    codes: Codes


@dataclass(frozen=True, slots=True)
class Youtuber:
    """One creator and the brands seen last."""

    youtuber: Annotated[YoutuberCard, "The creator and their totals."]
    latest_sponsors: Annotated[tuple[YoutuberSponsor, ...], "Brands seen last, newest first."]


@dataclass(frozen=True, slots=True)
class YoutuberSponsorPage:
    """The creator's sponsors."""

    youtuber: Annotated[YoutuberRef, "The creator."]
    sponsors: Annotated[tuple[YoutuberSponsor, ...], "The brands."]
    coverage: ChannelCoverage
    next_cursor: Cursor


@dataclass(frozen=True, slots=True)
class ViewComparison:
    """Views of sponsored videos against the others of the period."""

    sponsored_median: Annotated[float | None, "Median views of sponsored videos."]
    other_median: Annotated[float | None, "Median views of the others."]
    ratio: Annotated[float | None, "The first divided by the second."]


@dataclass(frozen=True, slots=True)
class YoutuberSeriesPoint:
    """One step of a time series."""

    start: Annotated[date, "First day of the step."]
    videos: Annotated[int, "Videos, sponsored or not."]
    sponsored_videos: VideoCount


@dataclass(frozen=True, slots=True)
class YoutuberStats:
    """Figures of a creator over a period."""

    youtuber: Annotated[YoutuberRef, "The creator."]
    period: Annotated[Period, "The days that the figures are about."]
    videos: Annotated[int, "Videos, sponsored or not."]
    sponsored_videos: VideoCount
    sponsored_share: Annotated[float, "Share of videos that are sponsored, 0 to 1."]
    sponsors: Annotated[int, "Different brands."]
    views: Annotated[ViewComparison, "Views of sponsored videos against the others."]
    by_category: Annotated[tuple[Share, ...], "By category of the brands."]
    series: Annotated[tuple[YoutuberSeriesPoint, ...], "The figures over time."]
    coverage: ChannelCoverage


@dataclass(frozen=True, slots=True)
class Sponsorship:
    """A brand's part in a video."""

    sponsor: Annotated[SponsorRef, "The brand."]
    kind: Kind
    code: Annotated[str | None, "Promo code. Third-party text."]
    link: Annotated[str | None, "Link to the brand. Third-party text."]
    evidence: Annotated[Evidence, "Why it counts as sponsored."]
    confidence: Confidence
    detector_version: DetectorVersion


@dataclass(frozen=True, slots=True)
class YoutuberVideo:
    """A video of the creator."""

    video: Annotated[Video, "The video."]
    sponsorships: Annotated[tuple[Sponsorship, ...], "Who sponsored it; empty if nobody did."]


@dataclass(frozen=True, slots=True)
class YoutuberVideoPage:
    """The creator's videos, newest first."""

    youtuber: Annotated[YoutuberRef, "The creator."]
    videos: Annotated[tuple[YoutuberVideo, ...], "The videos."]
    coverage: ChannelCoverage
    next_cursor: Cursor


@dataclass(frozen=True, slots=True)
class Prospect:
    """A brand that may suit the creator."""

    sponsor: Annotated[SponsorCard, "The brand."]
    score: Annotated[float, "How well it suits, 0 to 1."]
    similar_youtubers: Annotated[int, "Creators like this one that it sponsors."]
    examples: Annotated[tuple[YoutuberRef, ...], "Some of them."]
    reason: Annotated[str, "Why it is proposed."]


@dataclass(frozen=True, slots=True)
class Prospects:
    """Brands that sponsor creators like this one and not yet this one, best first."""

    youtuber: Annotated[YoutuberRef, "The creator."]
    prospects: Annotated[tuple[Prospect, ...], "The brands."]
    basis: Annotated[str, "How creators were found to be alike."]
    coverage: ChannelCoverage
