"""Conversion of rows to the domain's types."""

from typing import Any, Final, TypeVar

import msgspec

from import_worker.domain.imports import Bounds, Checkpoint, Import
from import_worker.domain.ports import StoredVideo
from import_worker.domain.segments import Segment
from import_worker.domain.sources import SourceVideo
from shapes.catalog.ingest import SponsorshipFact

T = TypeVar("T")

_SEGMENTS: Final = tuple[Segment, ...]
_SPONSORSHIPS: Final = tuple[SponsorshipFact, ...]


def import_values(import_: Import) -> dict[str, Any]:
    """Return the columns of an import that may change; the counts that are derived are left out."""
    return {
        "title": import_.title,
        "source": import_.source,
        "since": import_.bounds.since,
        "max_videos": import_.bounds.max_videos,
        "state": import_.state,
        "message": import_.message,
        "page": import_.checkpoint.page,
        # These two columns have their first names: code of before reads them during an upgrade.
        "walked": import_.checkpoint.uploads_read,
        "walk_ended": import_.checkpoint.is_fully_read,
        "videos_total": import_.checkpoint.videos_total,
        "videos_removed": import_.checkpoint.videos_removed,
        "run": import_.run,
        "attempts": import_.attempts,
        "restarts": import_.restarts,
        "started_at": import_.started_at,
        "finished_at": import_.finished_at,
        "retry_at": import_.retry_at,
        "cancel_requested_at": import_.cancel_requested_at,
        "dead_reason": import_.dead_reason,
    }


def import_of(row: Any) -> Import:
    return Import(
        import_id=row.id,
        channel_id=row.channel_id,
        reference=row.reference,
        title=row.title,
        source=row.source,
        bounds=Bounds(row.since, row.max_videos),
        state=row.state,
        message=row.message,
        checkpoint=Checkpoint(
            page=row.page,
            uploads_read=row.walked,
            is_fully_read=row.walk_ended,
            videos_seen=row.videos_seen,
            videos_total=row.videos_total,
            sponsorships=row.sponsorships,
            videos_removed=row.videos_removed,
        ),
        created_at=row.created_at,
        run=row.run,
        attempts=row.attempts,
        restarts=row.restarts,
        started_at=row.started_at,
        finished_at=row.finished_at,
        retry_at=row.retry_at,
        cancel_requested_at=row.cancel_requested_at,
        dead_reason=row.dead_reason,
    )


def video_values(stored: StoredVideo) -> dict[str, Any]:
    video = stored.video
    return {
        "video_id": video.video_id,
        "channel_id": video.channel_id,
        # Postgres holds no NUL in a text.
        "title": video.title.replace("\x00", ""),
        "description": video.description.replace("\x00", ""),
        "published_at": video.published_at,
        "category": video.category_number,
        "duration": video.duration_seconds,
        "views": video.views,
        "language": video.language,
        "declares_placement": video.declares_placement,
        "text_sha256": stored.text_sha256,
        "detector_version": stored.detector_version,
        "found": stored.found,
        "brand_slugs": [slug for slug, _ in stored.brands],
        "brand_names": [name for _, name in stored.brands],
        "read_at": stored.read_at,
        "sponsor_segments": _json(video.segments),
        "sponsorships": _json(stored.sponsorships),
        "likes": video.likes,
        "comments": video.comments,
        "broadcast": video.broadcast,
    }


def video_of(row: Any) -> StoredVideo:
    return StoredVideo(
        video=SourceVideo(
            video_id=row.video_id,
            channel_id=row.channel_id,
            title=row.title,
            description=row.description,
            published_at=row.published_at,
            category_number=row.category,
            duration_seconds=row.duration,
            views=row.views,
            language=row.language,
            declares_placement=row.declares_placement,
            segments=_read_json(row.sponsor_segments, _SEGMENTS),
            likes=row.likes,
            comments=row.comments,
            broadcast=row.broadcast,
        ),
        text_sha256=row.text_sha256,
        detector_version=row.detector_version,
        found=row.found,
        brands=tuple(zip(row.brand_slugs, row.brand_names, strict=True)),
        read_at=row.read_at,
        sponsorships=_read_json(row.sponsorships, _SPONSORSHIPS),
    )


def _json(values: tuple[object, ...] | None) -> str | None:
    return None if values is None else msgspec.json.encode(values).decode()


def _read_json(text: str | None, kind: type[T]) -> T | None:
    return None if text is None else msgspec.json.decode(text, type=kind)
