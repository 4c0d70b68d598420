"""Selected columns, and the results that their rows become."""

from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Row, Select, Text, cast, func, literal

from catalog_service.domain import public_ids
from catalog_service.storage.relation_status import SPONSOR_KNOWN_UNTIL, SPONSOR_STATUS
from catalog_service.storage.tables import sponsors, sponsorships, videos, youtubers
from shapes.catalog.shared import (
    Coverage,
    Evidence,
    Segment,
    SponsorCard,
    SponsorRef,
    Video,
    YoutuberCard,
    YoutuberRef,
)

AnyRow = Row[*tuple[Any, ...]]
AnySelect = Select[*tuple[Any, ...]]
Columns = tuple[ColumnElement[Any], ...]

_s, _y, _v, _p = sponsors.c, youtubers.c, videos.c, sponsorships.c

SPONSOR_REF: Final[Columns] = (
    _s.id.label("sponsor_number"),
    _s.slug.label("sponsor_slug"),
    _s.name.label("sponsor_name"),
    _s.domains[1].label("sponsor_domain"),
    _s.category.label("sponsor_category"),
)
SPONSOR_CARD: Final[Columns] = (
    *SPONSOR_REF,
    _s.website,
    _s.country.label("sponsor_country"),
    _s.first_seen,
    _s.last_seen,
    SPONSOR_STATUS,
    SPONSOR_KNOWN_UNTIL,
    _s.videos,
    _s.paid_videos,
    _s.youtubers,
    _s.views,
)
YOUTUBER_REF: Final[Columns] = (
    _y.id.label("youtuber_number"),
    _y.channel_id,
    _y.handle,
    _y.name.label("youtuber_name"),
    _y.subscribers,
    _y.country.label("youtuber_country"),
)
COVERAGE: Final[Columns] = (
    _y.videos_scanned,
    _y.first_video,
    _y.last_video,
    _y.last_import,
    _y.source,
)
YOUTUBER_CARD: Final[Columns] = (
    *YOUTUBER_REF,
    *COVERAGE,
    _y.category.label("youtuber_category"),
    _y.sponsored_videos,
    _y.sponsors,
    _y.first_sponsored,
    _y.last_sponsored,
)
VIDEO: Final[Columns] = (
    _v.id.label("video_number"),
    _v.video_id.label("youtube_video_id"),
    _v.title,
    _v.published_on,
    _v.views.label("video_views"),
    _v.category.label("video_category"),
    _v.format.label("video_format"),
    _v.observed_on,
)
CLAIM: Final[Columns] = (
    _p.kind,
    _p.code,
    _p.link,
    _p.excerpt,
    _p.excerpt_source,
    _p.excerpt_start,
    _p.excerpt_end,
    _p.excerpt_hash,
    _p.reason,
    _p.confidence,
    _p.detector_version,
    _p.segment_start,
    _p.segment_end,
    _p.segment_source,
    _p.reader,
)

SPONSOR_HINT: Final = func.concat_ws(
    ", ", _s.domains[1], _s.category, _s.country, literal("slug ", Text) + _s.slug
).label("hint")
YOUTUBER_HINT: Final = func.concat_ws(
    ", ",
    func.coalesce(_y.handle, _y.channel_id, literal("channel not known", Text)),
    _y.country,
    func.to_char(_y.subscribers, "FM999,999,999,999") + " subscribers",
).label("hint")


def sponsor_ref(row: AnyRow) -> SponsorRef:
    return SponsorRef(
        public_ids.sponsor(row.sponsor_number),
        row.sponsor_slug,
        row.sponsor_name,
        row.sponsor_domain,
        row.sponsor_category,
    )


def sponsor_card(row: AnyRow) -> SponsorCard:
    return SponsorCard(
        id=public_ids.sponsor(row.sponsor_number),
        slug=row.sponsor_slug,
        name=row.sponsor_name,
        domain=row.sponsor_domain,
        website=row.website,
        category=row.sponsor_category,
        country=row.sponsor_country,
        first_seen=row.first_seen,
        last_seen=row.last_seen,
        status=row.status,
        videos=row.videos,
        paid_videos=row.paid_videos,
        youtubers=row.youtubers,
        views=row.views,
        known_until=row.known_until,
    )


def _channel_url(channel_id: str | None, handle: str | None) -> str | None:
    if channel_id is not None:
        return f"https://www.youtube.com/channel/{channel_id}"
    return None if handle is None else f"https://www.youtube.com/{handle}"


def youtuber_ref(row: AnyRow) -> YoutuberRef:
    return YoutuberRef(
        id=public_ids.youtuber(row.youtuber_number),
        channel_id=row.channel_id,
        handle=row.handle,
        name=row.youtuber_name,
        subscribers=row.subscribers,
        country=row.youtuber_country,
        url=_channel_url(row.channel_id, row.handle),
    )


def coverage(row: AnyRow) -> Coverage:
    return Coverage(
        row.videos_scanned,
        row.first_video,
        row.last_video,
        row.last_import,
        row.source,
        videos_in_period=None,
    )


def youtuber_card(row: AnyRow) -> YoutuberCard:
    return YoutuberCard(
        id=public_ids.youtuber(row.youtuber_number),
        channel_id=row.channel_id,
        handle=row.handle,
        name=row.youtuber_name,
        url=_channel_url(row.channel_id, row.handle),
        subscribers=row.subscribers,
        country=row.youtuber_country,
        category=row.youtuber_category,
        sponsored_videos=row.sponsored_videos,
        sponsors=row.sponsors,
        first_sponsored=row.first_sponsored,
        last_sponsored=row.last_sponsored,
        coverage=coverage(row),
    )


def video(row: AnyRow) -> Video:
    known = row.youtube_video_id
    return Video(
        id=public_ids.video(row.video_number),
        video_id=known,
        url=known and f"https://www.youtube.com/watch?v={known}",
        title=row.title,
        published_at=row.published_on,
        views=row.video_views,
        category=row.video_category,
        format=row.video_format,
        observed_at=row.observed_on,
    )


def evidence(row: AnyRow, youtube_video_id: str | None) -> Evidence:
    return Evidence(
        excerpt=row.excerpt,
        source=row.excerpt_source,
        start=row.excerpt_start,
        end=row.excerpt_end,
        reason=row.reason,
        excerpt_hash=row.excerpt_hash,
        segment=_segment(row, youtube_video_id),
        reader=row.reader,
    )


def _segment(row: AnyRow, youtube_video_id: str | None) -> Segment | None:
    if row.segment_start is None:
        return None
    link = youtube_video_id and f"https://youtu.be/{youtube_video_id}?t={row.segment_start}"
    return Segment(row.segment_start, row.segment_end, link, row.segment_source)


def sum_where(value: ColumnElement[Any], condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Sum the values of a group's rows that meet a condition; 0 where none does."""
    return cast(func.coalesce(func.sum(value).filter(condition), 0), BigInteger)
