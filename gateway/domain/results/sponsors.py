"""Answers of the `sponsor.*` tools."""

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
    Totals,
    Video,
    VideoCount,
    ViewCount,
    YoutuberCount,
    YoutuberRef,
)


@dataclass(frozen=True, slots=True)
class SponsorPage:
    """Brands that match, best first."""

    sponsors: Annotated[tuple[SponsorCard, ...], "The brands."]
    next_cursor: Cursor


@dataclass(frozen=True, slots=True)
class LatestCode:
    """A promo code seen lately."""

    code: Annotated[str, "The code. Third-party text."]
    youtuber: Annotated[YoutuberRef, "Whose code it is."]
    last_seen: LastSeen


@dataclass(frozen=True, slots=True)
class SponsorYoutuber:
    """A creator's history with the brand."""

    youtuber: Annotated[YoutuberRef, "The creator."]
    videos: VideoCount
    first_seen: FirstSeen
    last_seen: LastSeen
    views: ViewCount
    status: RelationStatus
    kinds: Kinds
    codes: Codes
    coverage: Annotated[Coverage, "What of the channel has been looked at."]


@dataclass(frozen=True, slots=True)
class Sponsor:
    """One brand, with what identifies it and whom it works with."""

    sponsor: Annotated[SponsorCard, "The brand and its totals."]
    aliases: Annotated[tuple[str, ...], "Other names of it."]
    domains: Annotated[tuple[str, ...], "Its web domains."]
    kinds: Annotated[tuple[Share, ...], "How it sponsors, by kind."]
    latest_codes: Annotated[tuple[LatestCode, ...], "Promo codes seen last."]
    top_youtubers: Annotated[tuple[SponsorYoutuber, ...], "Creators it works with most."]


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """One step of a time series."""

    start: Annotated[date, "First day of the step."]
    videos: VideoCount
    youtubers: YoutuberCount
    views: ViewCount


@dataclass(frozen=True, slots=True)
class ShareOfVoice:
    """The brand among the brands of its category."""

    category: Annotated[str, "Id of the category."]
    category_videos: Annotated[int, "Sponsored videos of the whole category in the period."]
    share: Annotated[float, "The brand's share of them, 0 to 1."]
    rank: Annotated[int, "Its rank in the category, from 1."]


@dataclass(frozen=True, slots=True)
class SponsorStats:
    """Figures of a brand over a period, and against the period before."""

    sponsor: Annotated[SponsorCard, "The brand and its totals over all time."]
    period: Annotated[Period, "The days that the figures are about."]
    totals: Annotated[Totals, "Sums over the period."]
    previous_period: Annotated[
        Period, "The equally long period before: as many whole months before whole months."
    ]
    previous_totals: Annotated[Totals, "Sums over the period before."]
    change: Annotated[
        float | None, "Growth of videos against the period before; null if that had none."
    ]
    series: Annotated[tuple[SeriesPoint, ...], "The figures over time."]
    by_category: Annotated[tuple[Share, ...], "By content category of the videos."]
    by_country: Annotated[tuple[Share, ...], "By country of the creators."]
    by_kind: Annotated[tuple[Share, ...], "By kind of sponsorship."]
    repeat_rate: Annotated[float, "Share of its creators with more than one of its videos, 0 to 1."]
    share_of_voice: Annotated[
        ShareOfVoice | None, "Its part of its category; null if it has no category."
    ]


@dataclass(frozen=True, slots=True)
class SponsorVideo:
    """A video that the brand sponsored."""

    video: Annotated[Video, "The video."]
    youtuber: Annotated[YoutuberRef, "Who published it."]
    kind: Kind
    code: Annotated[str | None, "Promo code. Third-party text."]
    link: Annotated[str | None, "Link to the brand. Third-party text."]
    evidence: Annotated[Evidence, "Why it counts as sponsored."]
    confidence: Confidence
    detector_version: DetectorVersion


@dataclass(frozen=True, slots=True)
class SponsorVideoPage:
    """The brand's sponsored videos, newest first."""

    sponsor: Annotated[SponsorRef, "The brand."]
    videos: Annotated[tuple[SponsorVideo, ...], "The videos."]
    next_cursor: Cursor


@dataclass(frozen=True, slots=True)
class SponsorYoutuberPage:
    """Creators who worked with the brand."""

    sponsor: Annotated[SponsorRef, "The brand."]
    youtubers: Annotated[tuple[SponsorYoutuber, ...], "The creators."]
    next_cursor: Cursor


@dataclass(frozen=True, slots=True)
class RankedSponsor:
    """A brand and its place."""

    rank: Annotated[int, "Its rank, from 1."]
    sponsor: Annotated[SponsorRef, "The brand."]
    videos: VideoCount
    youtubers: YoutuberCount
    views: ViewCount
    share: Annotated[float, "Its share of all sponsorships that match, 0 to 1."]


@dataclass(frozen=True, slots=True)
class TopSponsors:
    """The most active brands of a period."""

    period: Annotated[Period, "The days that the figures are about."]
    metric: Annotated[str, "What they are ranked by."]
    totals: Annotated[Totals, "Sums over everything that matches."]
    sponsors: Annotated[tuple[RankedSponsor, ...], "The brands, first rank first."]
    next_cursor: Cursor


@dataclass(frozen=True, slots=True)
class SimilarSponsor:
    """A brand that sponsors the same creators."""

    sponsor: Annotated[SponsorCard, "The brand."]
    shared_youtubers: Annotated[int, "Creators that both sponsored."]
    similarity: Annotated[float, "Those, as a share of the creators of either, 0 to 1."]
    examples: Annotated[tuple[YoutuberRef, ...], "Some of them."]


@dataclass(frozen=True, slots=True)
class SimilarSponsors:
    """Brands that sponsor the same creators, most alike first."""

    sponsor: Annotated[SponsorRef, "The brand asked about."]
    sponsors: Annotated[tuple[SimilarSponsor, ...], "The brands like it."]
