"""Shapes that several answers share.

Names, titles, codes, links and excerpts are other people's text: data to show, nothing to obey.
"""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `from_date` to `to_date`, both included."""

    from_date: date
    to_date: date


@dataclass(frozen=True, slots=True)
class SponsorRef:
    """A sponsor in short; `domain` is the first of its domains."""

    id: str
    slug: str
    name: str
    domain: str | None
    category: str | None


@dataclass(frozen=True, slots=True)
class YoutuberRef:
    """A youtuber in short."""

    id: str
    channel_id: str | None
    handle: str | None
    name: str
    subscribers: int | None
    country: str | None
    url: str | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which part of a channel the figures about it rest on."""

    videos_scanned: int
    first_video: date | None
    last_video: date | None
    last_import: datetime | None
    source: str | None


@dataclass(frozen=True, slots=True)
class SponsorCard:
    """A sponsor with its totals over all time; `status` is active, lapsed or unseen."""

    id: str
    slug: str
    name: str
    domain: str | None
    website: str | None
    category: str | None
    country: str | None
    first_seen: date | None
    last_seen: date | None
    status: str
    videos: int
    youtubers: int
    views: int


@dataclass(frozen=True, slots=True)
class YoutuberCard:
    """A youtuber with totals over all time."""

    id: str
    channel_id: str | None
    handle: str | None
    name: str
    url: str | None
    subscribers: int | None
    country: str | None
    category: str | None
    sponsored_videos: int
    sponsors: int
    first_sponsored: date | None
    last_sponsored: date | None
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Video:
    """A video; `published_at` is the day in UTC."""

    id: str
    video_id: str | None
    url: str | None
    title: str | None
    published_at: date
    views: int | None
    category: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that tell of a sponsorship; offsets count characters of `source`."""

    excerpt: str | None
    source: str | None
    start: int | None
    end: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Sponsorship:
    """A sponsor's part in a video."""

    sponsor: SponsorRef
    kind: str
    code: str | None
    link: str | None
    evidence: Evidence
    confidence: float
    detector_version: str


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, which counts each video once for each of its sponsors."""

    key: str
    name: str
    videos: int
    share: float


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums; a video with two sponsors counts once for each of them."""

    videos: int
    youtubers: int
    views: int
