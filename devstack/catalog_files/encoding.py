"""Records as lines of our own format."""

import json
from typing import Any

from import_worker.domain.records import (
    SponsorRecord,
    SponsorshipRecord,
    VideoRecord,
    YoutuberRecord,
)
from servicekit import timestamps


def encode(record: SponsorRecord | YoutuberRecord | VideoRecord) -> str:
    """The record's line, without its line end; keys in a fixed order."""
    if isinstance(record, SponsorRecord):
        fields = _sponsor(record)
    elif isinstance(record, YoutuberRecord):
        fields = _youtuber(record)
    else:
        fields = _video(record)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _sponsor(record: SponsorRecord) -> dict[str, Any]:
    return {
        "type": "sponsor",
        "slug": record.slug,
        "name": record.name,
        "aliases": list(record.aliases),
        "domains": list(record.domains),
        "category": record.category,
        "country": record.country,
        "website": record.website,
    }


def _youtuber(record: YoutuberRecord) -> dict[str, Any]:
    return {
        "type": "youtuber",
        "key": record.key,
        "channel_id": record.channel_id,
        "handle": record.handle,
        "name": record.name,
        "subscribers": record.subscribers,
        "country": record.country,
        "category": record.category,
        "source": record.source,
    }


def _video(record: VideoRecord) -> dict[str, Any]:
    return {
        "type": "video",
        "key": record.key,
        "video_id": record.video_id,
        "youtuber": record.youtuber_key,
        "title": record.title,
        "published_at": timestamps.to_text(record.published_at),
        "views": record.views,
        "category": record.category,
        "duration_seconds": record.duration_seconds,
        "detector_version": record.detector_version,
        "sponsorships": [_sponsorship(sponsorship) for sponsorship in record.sponsorships],
    }


def _sponsorship(record: SponsorshipRecord) -> dict[str, Any]:
    return {
        "sponsor": record.sponsor_slug,
        "kind": record.kind,
        "code": record.code,
        "link": record.link,
        "excerpt": record.excerpt,
        "excerpt_source": record.excerpt_source,
        "excerpt_start": record.excerpt_start,
        "excerpt_end": record.excerpt_end,
        "confidence": record.confidence,
        "detector_version": record.detector_version,
        "reason": record.reason,
    }
