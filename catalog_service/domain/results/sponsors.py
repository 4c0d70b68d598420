"""Answers about sponsors."""

from dataclasses import dataclass
from datetime import date

from catalog_service.domain.results.shared import (
    Coverage,
    Evidence,
    Period,
    Share,
    SponsorCard,
    SponsorRef,
    Totals,
    Video,
    YoutuberRef,
)


@dataclass(frozen=True, slots=True)
class SponsorPage:
    sponsors: tuple[SponsorCard, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class LatestCode:
    """A promo code and the youtuber who was seen last with it."""

    code: str
    youtuber: YoutuberRef
    last_seen: date


@dataclass(frozen=True, slots=True)
class SponsorYoutuber:
    """What a youtuber did with the sponsor; `status` is active or lapsed."""

    youtuber: YoutuberRef
    videos: int
    first_seen: date
    last_seen: date
    views: int
    status: str
    kinds: tuple[str, ...]
    codes: tuple[str, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Sponsor:
    sponsor: SponsorCard
    aliases: tuple[str, ...]
    domains: tuple[str, ...]
    kinds: tuple[Share, ...]
    latest_codes: tuple[LatestCode, ...]
    top_youtubers: tuple[SponsorYoutuber, ...]


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """Figures of one step that begins at `start`."""

    start: date
    videos: int
    youtubers: int
    views: int


@dataclass(frozen=True, slots=True)
class ShareOfVoice:
    """A sponsor's part of all sponsorships by sponsors of its category in the period."""

    category: str
    category_videos: int
    share: float
    rank: int


@dataclass(frozen=True, slots=True)
class SponsorStats:
    sponsor: SponsorCard
    period: Period
    totals: Totals
    previous_period: Period
    previous_totals: Totals
    change: float | None
    series: tuple[SeriesPoint, ...]
    by_category: tuple[Share, ...]
    by_country: tuple[Share, ...]
    by_kind: tuple[Share, ...]
    repeat_rate: float
    share_of_voice: ShareOfVoice | None


@dataclass(frozen=True, slots=True)
class SponsorVideo:
    video: Video
    youtuber: YoutuberRef
    kind: str
    code: str | None
    link: str | None
    evidence: Evidence
    confidence: float
    detector_version: str


@dataclass(frozen=True, slots=True)
class SponsorVideoPage:
    sponsor: SponsorRef
    videos: tuple[SponsorVideo, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class SponsorYoutuberPage:
    sponsor: SponsorRef
    youtubers: tuple[SponsorYoutuber, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class RankedSponsor:
    """A sponsor's place; `share` is its part of all sponsorships that the filter lets through."""

    rank: int
    sponsor: SponsorRef
    videos: int
    youtubers: int
    views: int
    share: float


@dataclass(frozen=True, slots=True)
class TopSponsorsReply:
    period: Period
    metric: str
    totals: Totals
    sponsors: tuple[RankedSponsor, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class SimilarSponsor:
    """Another sponsor; `similarity` is the Jaccard index of the two sets of youtubers."""

    sponsor: SponsorCard
    shared_youtubers: int
    similarity: float
    examples: tuple[YoutuberRef, ...]


@dataclass(frozen=True, slots=True)
class SimilarSponsorsReply:
    sponsor: SponsorRef
    sponsors: tuple[SimilarSponsor, ...]
