"""Raw videos with their descriptions: the detector reads them, with what it learnt of each channel."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from devstack.catalog_files import fields as take
from devstack.catalog_files.channel_list import ChannelList
from devstack.catalog_files.fields import Fields
from devstack.catalog_files.lines import UnreadableLine
from import_worker.detector import (
    DETECTOR_VERSION,
    Brand,
    ChannelContext,
    ChannelLearning,
    Detection,
    bundled_directory,
    detect,
)
from import_worker.domain.chapters import chapters
from import_worker.domain.claimed_segments import segments_by_slug
from import_worker.domain.disclosure_words import disclosure_words
from import_worker.domain.keys import video_key, youtuber_key
from import_worker.domain.records import VideoRecord
from import_worker.domain.segments import Segment
from import_worker.domain.signals import VideoSignals
from import_worker.domain.spoken_text import spoken_text
from import_worker.domain.sponsor_chapters import sponsor_chapters
from import_worker.domain.youtube_categories import category_number, category_slug
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, YoutuberFact

SOURCE: Final = "video-file"
_VIDEO_ID: Final = re.compile(r"[A-Za-z0-9_-]{11}")


@dataclass(slots=True)
class RawChannel:
    """The data of a channel that the first pass collects."""

    youtuber: YoutuberFact
    learning: ChannelLearning
    categories: Counter[str] = field(default_factory=Counter[str])

    def record(self) -> YoutuberFact:
        """Return the channel, with what most of its videos are about, and where these are from."""
        most_frequent = min(
            self.categories.items(), key=lambda item: (-item[1], item[0]), default=None
        )
        youtuber = replace(self.youtuber, source=SOURCE)
        return replace(youtuber, category=most_frequent[0]) if most_frequent else youtuber


@dataclass(slots=True)
class RawChannels:
    """The channels of raw videos: identified in a first pass, gathered in a second, then asked."""

    known: ChannelList
    ids_by_title: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    by_key: dict[str, RawChannel] = field(default_factory=dict[str, RawChannel])
    _contexts: dict[str, ChannelContext] = field(default_factory=dict[str, ChannelContext])

    def client_info(self, fields: Fields) -> None:
        """Record the title and the id of a video that names both."""
        channel_id = take.optional_text(fields, "channel_id")
        if channel_id:
            self.ids_by_title[take.text(fields, "channel_title")].add(channel_id)

    def gather(self, fields: Fields) -> None:
        """Take in one video.

        Raises:
            UnreadableLine: A field is missing or of a wrong type.
        """
        youtuber = self.youtuber(fields)
        record = video(fields, youtuber.key)
        channel = self.by_key.get(youtuber.key)
        if channel is None:
            channel = RawChannel(youtuber, ChannelLearning(youtuber.name, youtuber.handle))
            self.by_key[youtuber.key] = channel
        channel.learning.learn(take.optional_text(fields, "description") or "")
        if record.category:
            channel.categories[record.category] += 1

    def youtuber(self, fields: Fields) -> YoutuberFact:
        """Return the channel that a video says it is of."""
        name = take.text(fields, "channel_title")
        channel_id = take.optional_text(fields, "channel_id")
        others = self.ids_by_title.get(name, set())
        if not channel_id and name not in self.known.by_title and len(others) == 1:
            (channel_id,) = others
        listed = self.known.by_id.get(channel_id) if channel_id else self.known.by_title.get(name)
        return listed or YoutuberFact(
            key=youtuber_key(channel_id, name),
            channel_id=channel_id or None,
            name=name,
            source=SOURCE,
        )

    def context(self, key: str) -> ChannelContext:
        """Return what the first pass found about a channel."""
        if key not in self._contexts:
            self._contexts[key] = self.by_key[key].learning.context()
        return self._contexts[key]


def detected(fields: Fields, channels: RawChannels) -> Iterator[SponsorFact | VideoRecord]:
    """Yield the sponsors that the detector finds in a video, then the video."""
    youtuber = channels.youtuber(fields)
    record = video(fields, youtuber.key)
    description = take.optional_text(fields, "description") or ""
    listed = sponsor_chapters(chapters(description, record.duration_seconds))
    signals = VideoSignals(sponsor_chapters=listed)
    found = detect(
        take.optional_text(fields, "title") or "",
        description,
        channels.context(youtuber.key),
        category=category_number(fields.get("category_id")),
        signals=signals,
    )
    segments = segments_by_slug(found, signals)
    brands = {brand.slug: brand for brand in bundled_directory().brands}
    for detection in found:
        yield sponsor(detection, brands)
    sponsorships = tuple(_sponsorship(item, segments.get(item.slug)) for item in found)
    yield replace(
        record,
        sponsorships=sponsorships,
        description_text=_spoken(fields, sponsorships),
        disclosure_words=_disclosure_words(fields),
    )


def _disclosure_words(fields: Fields) -> str | None:
    """Return the description's words of advertising; None if the line has no description."""
    description = take.optional_text(fields, "description")
    return None if description is None else " ".join(disclosure_words(description))


def _spoken(fields: Fields, sponsorships: Sequence[SponsorshipFact]) -> str | None:
    """Return what the description says; None if the line has none."""
    description = take.optional_text(fields, "description")
    return None if description is None else spoken_text(description, sponsorships)


def video(fields: Fields, youtuber: str) -> VideoRecord:
    """Return the video of a line, before the detector has read it.

    Raises:
        UnreadableLine: A field is missing or of a wrong type.
    """
    title = take.text(fields, "title")
    published_at = take.instant(fields, "published_at")
    video_id = take.optional_text(fields, "video_id")
    if video_id and not _VIDEO_ID.fullmatch(video_id):
        raise UnreadableLine(f"field 'video_id' is {video_id!r}, not eleven letters of YouTube's")
    take.optional_text(fields, "description")
    return VideoRecord(
        key=video_key(video_id, youtuber, published_at, title),
        video_id=video_id or None,
        youtuber_key=youtuber,
        title=title,
        published_at=published_at,
        views=take.optional_count(fields, "views"),
        category=category_slug(fields.get("category_id")),
        duration_seconds=take.optional_count(fields, "duration_seconds"),
        detector_version=DETECTOR_VERSION,
        sponsorships=(),
    )


def sponsor(detection: Detection, brands: Mapping[str, Brand]) -> SponsorFact:
    """Return the sponsor that a detection names: the directory's record, or one made of what was seen."""
    brand = brands.get(detection.slug)
    if brand:
        return brand_record(brand)
    domains = (detection.domain,) if detection.domain else ()
    return SponsorFact(
        slug=detection.slug,
        name=detection.brand,
        domains=domains,
        website=f"https://{detection.domain}" if detection.domain else None,
    )


def brand_record(brand: Brand) -> SponsorFact:
    """Return a brand of the directory as a sponsor."""
    return SponsorFact(
        slug=brand.slug,
        name=brand.name,
        aliases=brand.aliases,
        domains=brand.domains,
        category=brand.category,
        country=brand.country,
        website=f"https://{brand.domains[0]}" if brand.domains else None,
    )


def _sponsorship(detection: Detection, segment: Segment | None) -> SponsorshipFact:
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
        segment_start=segment and segment.start,
        segment_end=segment and segment.end,
        segment_source=segment and segment.source,
    )
