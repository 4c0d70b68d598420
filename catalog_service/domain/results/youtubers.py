"""Answers about youtubers."""

from dataclasses import dataclass
from datetime import date

from catalog_service.domain.results.shared import (
    Coverage,
    Period,
    Share,
    SponsorCard,
    SponsorRef,
    Sponsorship,
    Video,
    YoutuberCard,
    YoutuberRef,
)


@dataclass(frozen=True, slots=True)
class YoutuberPage:
    youtubers: tuple[YoutuberCard, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class YoutuberSponsor:
    """What a sponsor did with the youtuber; `status` is active or lapsed."""

    sponsor: SponsorRef
    videos: int
    first_seen: date
    last_seen: date
    views: int
    status: str
    kinds: tuple[str, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Youtuber:
    youtuber: YoutuberCard
    latest_sponsors: tuple[YoutuberSponsor, ...]


@dataclass(frozen=True, slots=True)
class YoutuberSponsorPage:
    youtuber: YoutuberRef
    sponsors: tuple[YoutuberSponsor, ...]
    coverage: Coverage
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class ViewComparison:
    """Median views; `ratio` is sponsored over other, absent where one of them is."""

    sponsored_median: float | None
    other_median: float | None
    ratio: float | None


@dataclass(frozen=True, slots=True)
class YoutuberSeriesPoint:
    """Figures of one step that begins at `start`."""

    start: date
    videos: int
    sponsored_videos: int


@dataclass(frozen=True, slots=True)
class YoutuberStats:
    youtuber: YoutuberRef
    period: Period
    videos: int
    sponsored_videos: int
    sponsored_share: float
    sponsors: int
    views: ViewComparison
    by_category: tuple[Share, ...]
    series: tuple[YoutuberSeriesPoint, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class YoutuberVideo:
    video: Video
    sponsorships: tuple[Sponsorship, ...]


@dataclass(frozen=True, slots=True)
class YoutuberVideoPage:
    youtuber: YoutuberRef
    videos: tuple[YoutuberVideo, ...]
    coverage: Coverage
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Prospect:
    """A sponsor of youtubers alike; `score` is its part of their weight, 0 to 1."""

    sponsor: SponsorCard
    score: float
    similar_youtubers: int
    examples: tuple[YoutuberRef, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ProspectsReply:
    youtuber: YoutuberRef
    prospects: tuple[Prospect, ...]
    basis: str
    coverage: Coverage
