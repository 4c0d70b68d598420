"""Detection in videos, and the records of its findings."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from import_worker.detector import (
    DETECTOR_VERSION,
    Brand,
    bundled_directory,
)
from import_worker.domain.claimed_segments import segments_by_slug
from import_worker.domain.disclosure_words import disclosure_words
from import_worker.domain.keys import video_key, youtuber_key
from import_worker.domain.ports import StoredVideo
from import_worker.domain.records import VideoRecord
from import_worker.domain.segments import Segment
from import_worker.domain.signals import signals_of
from import_worker.domain.sources import Channel
from import_worker.domain.spoken_text import spoken_text
from import_worker.domain.youtube_categories import category_slug
from import_worker.jobs.proposals import Proposal, ProposedVideo
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, YoutuberFact


@dataclass(frozen=True, slots=True)
class DetectedVideo:
    """A video as it is stored, and its records for the catalogue."""

    stored: StoredVideo
    sponsors: tuple[SponsorFact, ...]
    record: VideoRecord


def records_of(videos: Iterable[ProposedVideo]) -> Sequence[DetectedVideo]:
    """Return each video as it is to be stored, with the records of the candidates that are published."""
    return [_finding(video) for video in videos]


def youtuber(
    channel: Channel, category: int | None, source: str, read_at: datetime
) -> YoutuberFact:
    """Return a channel as a youtuber, read from its source at that instant."""
    return YoutuberFact(
        key=youtuber_key(channel.channel_id, channel.title),
        channel_id=channel.channel_id,
        handle=channel.handle,
        name=channel.title,
        subscribers=channel.subscribers,
        country=channel.country,
        category=category_slug(category),
        source=source,
        imported_at=read_at.isoformat(),
    )


def _finding(proposed: ProposedVideo) -> DetectedVideo:
    video, found = proposed.video, proposed.published
    segments = segments_by_slug([item.detection for item in found], signals_of(video))
    sponsorships = tuple(_sponsorship(item, segments.get(item.detection.slug)) for item in found)
    record = VideoRecord(
        key=video_key(video.video_id, video.channel_id, video.published_at, video.title),
        video_id=video.video_id,
        youtuber_key=video.channel_id,
        title=video.title,
        published_at=video.published_at,
        views=video.views,
        category=category_slug(video.category_number),
        duration_seconds=video.duration_seconds,
        detector_version=DETECTOR_VERSION,
        sponsorships=sponsorships,
        paid_promotion_disclosed=video.declares_placement,
        likes=video.likes,
        comments=video.comments,
        observed_at=proposed.read_at.astimezone(UTC).date(),
        language=video.language,
        broadcast=video.broadcast,
        description_text=spoken_text(video.description, sponsorships),
        disclosure_words=" ".join(disclosure_words(video.description)),
    )
    sponsors = tuple(_sponsor(item) for item in found)
    stored = StoredVideo(
        video=video,
        text_sha256=_digest(f"{video.title}\x00{video.description}"),
        detector_version=DETECTOR_VERSION,
        found=_digest(repr((record, sponsors))),
        brands=tuple((sponsor.slug, sponsor.name) for sponsor in sponsors),
        read_at=proposed.read_at,
        sponsorships=record.sponsorships,
    )
    return DetectedVideo(stored, sponsors, record)


def _sponsor(proposal: Proposal) -> SponsorFact:
    """Return the directory's brand, or one made of what was seen."""
    detection = proposal.detection
    brand = _brands().get(detection.slug)
    only_if_new = True if proposal.is_tentative and brand is None else None
    seen = (detection.domain,) if detection.domain else ()
    if brand is None:
        brand = Brand(detection.slug, detection.brand, (), seen, None, None)
    domains = brand.domains or seen
    return SponsorFact(
        slug=brand.slug,
        name=brand.name,
        aliases=brand.aliases,
        domains=domains,
        category=brand.category,
        country=brand.country,
        website=f"https://{domains[0]}" if domains else None,
        # What a text made a reader say concerns its own video: a brand that is known stays as it is.
        only_if_new=only_if_new,
    )


def _sponsorship(proposal: Proposal, segment: Segment | None) -> SponsorshipFact:
    detection = proposal.detection
    return SponsorshipFact(
        sponsor_slug=detection.slug,
        kind=detection.kind,
        code=detection.code,
        link=detection.link,
        excerpt=detection.excerpt,
        excerpt_source=detection.source,
        excerpt_start=detection.start,
        excerpt_end=detection.end,
        confidence=detection.confidence,
        detector_version=DETECTOR_VERSION,
        reason=detection.reason,
        reader=proposal.reader,
        segment_start=segment and segment.start,
        segment_end=segment and segment.end,
        segment_source=segment and segment.source,
    )


@cache
def _brands() -> dict[str, Brand]:
    return {brand.slug: brand for brand in bundled_directory().brands}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
