"""Records as lines of our own format."""

import json
from typing import Any

import msgspec

from import_worker.domain.records import VideoRecord
from servicekit import timestamps
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, YoutuberFact


def encode(record: SponsorFact | YoutuberFact | VideoRecord) -> str:
    """Return the record's line, without its line end; keys in a fixed order."""
    if isinstance(record, SponsorFact):
        fields = _sponsor(record)
    elif isinstance(record, YoutuberFact):
        fields = _youtuber(record)
    else:
        fields = _video(record)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _sponsor(record: SponsorFact) -> dict[str, Any]:
    fields = msgspec.to_builtins(record)
    del fields["only_if_new"]  # a file says all that is known of a brand
    return {"type": "sponsor", **fields}


def _youtuber(record: YoutuberFact) -> dict[str, Any]:
    fields = msgspec.to_builtins(record)
    del fields["imported_at"]  # a file does not say when its channels were read
    return {"type": "youtuber", **fields}


def _video(record: VideoRecord) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "type": "video",
        "key": record.key,
        "video_id": record.video_id,
        "youtuber": record.youtuber_key,
        "title": record.title,
        "title_hash": record.title_hash,
        "published_at": timestamps.to_text(record.published_at),
        "views": record.views,
        "category": record.category,
        "duration_seconds": record.duration_seconds,
        "detector_version": record.detector_version,
        "sponsorships": [_sponsorship(sponsorship) for sponsorship in record.sponsorships],
    }
    further = {
        "paid_promotion_disclosed": record.paid_promotion_disclosed,
        "likes": record.likes,
        "comments": record.comments,
        "observed_at": record.observed_at and record.observed_at.isoformat(),
        "language": record.language,
        "broadcast": record.broadcast,
        "disclosure_words": record.disclosure_words,
    }
    return fields | {name: value for name, value in further.items() if value is not None}


def _sponsorship(record: SponsorshipFact) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "sponsor": record.sponsor_slug,
        "kind": record.kind,
        "code": record.code,
        "link": record.link,
        "excerpt": record.excerpt,
        "excerpt_source": record.excerpt_source,
        "excerpt_start": record.excerpt_start,
        "excerpt_end": record.excerpt_end,
        "excerpt_hash": record.excerpt_hash,
        "confidence": record.confidence,
        "detector_version": record.detector_version,
        "reason": record.reason,
        **({"reader": record.reader} if record.reader else {}),
    }
    if record.segment_start is not None:
        fields |= {
            "segment_start": record.segment_start,
            "segment_end": record.segment_end,
            "segment_source": record.segment_source,
        }
    return fields
