"""Requests as they arrive: field names as in the messages, not validated yet."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchSponsorsRequest:
    search: str | None
    category: str | None
    country: str | None
    active_since: str | None
    min_videos: int | None
    sort: str
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class SponsorRequest:
    sponsor: str


@dataclass(frozen=True, slots=True)
class SponsorStatsRequest:
    sponsor: str
    from_date: str | None
    to_date: str | None
    granularity: str
    min_confidence: float


@dataclass(frozen=True, slots=True)
class SponsorVideosRequest:
    sponsor: str
    from_date: str | None
    to_date: str | None
    kind: str | None
    min_confidence: float
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class SponsorYoutubersRequest:
    sponsor: str
    from_date: str | None
    to_date: str | None
    country: str | None
    min_confidence: float
    sort: str
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class TopSponsorsRequest:
    category: str | None
    content_category: str | None
    country: str | None
    from_date: str | None
    to_date: str | None
    metric: str
    min_confidence: float
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class SimilarSponsorsRequest:
    sponsor: str
    limit: int


@dataclass(frozen=True, slots=True)
class SearchYoutubersRequest:
    search: str | None
    category: str | None
    country: str | None
    min_subscribers: int | None
    max_subscribers: int | None
    sponsored_by: str | None
    not_sponsored_by: str | None
    sort: str
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class YoutuberRequest:
    youtuber: str


@dataclass(frozen=True, slots=True)
class YoutuberSponsorsRequest:
    youtuber: str
    from_date: str | None
    to_date: str | None
    kind: str | None
    min_confidence: float
    sort: str
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class YoutuberStatsRequest:
    youtuber: str
    from_date: str | None
    to_date: str | None
    granularity: str
    min_confidence: float


@dataclass(frozen=True, slots=True)
class YoutuberVideosRequest:
    youtuber: str
    sponsored: bool | None
    from_date: str | None
    to_date: str | None
    min_confidence: float
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ProspectsRequest:
    youtuber: str
    category: str | None
    active_since: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class CategoriesRequest:
    scope: str | None


@dataclass(frozen=True, slots=True)
class ReportRequest:
    account_id: str
    video: str
    kind: str
    sponsor: str | None
    brand: str | None
    proposed_kind: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class ListReportsRequest:
    state: str
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ReportByIdRequest:
    id: str


@dataclass(frozen=True, slots=True)
class DecideReportRequest:
    id: str
    verdict: str
    note: str | None
    sponsor: str | None


@dataclass(frozen=True, slots=True)
class MergeSponsorsRequest:
    from_sponsor: str
    into_sponsor: str
    note: str | None


@dataclass(frozen=True, slots=True)
class ListCorrectionLogRequest:
    limit: int
    cursor: str | None
