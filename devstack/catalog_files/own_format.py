"""Our own format: JSON lines with a "type" of sponsor, youtuber or video."""

from typing import Any, TypeVar, cast

from devstack.catalog_files import fields as take
from devstack.catalog_files.fields import Fields
from devstack.catalog_files.lines import UnreadableLine
from import_worker.domain.records import EXCERPT_SOURCES, KINDS, VideoRecord
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, YoutuberFact

T = TypeVar("T")


def decode(fields: Fields) -> SponsorFact | YoutuberFact | VideoRecord:
    """The record of a line.

    Raises:
        UnreadableLine: A field is missing, of a wrong type or out of range.
    """
    kind = take.text(fields, "type")
    if kind == "sponsor":
        return _sponsor(fields)
    if kind == "youtuber":
        return _youtuber(fields)
    if kind == "video":
        return _video(fields)
    raise UnreadableLine(f"unknown type {kind[:40]!r}")


def _sponsor(fields: Fields) -> SponsorFact:
    return SponsorFact(
        slug=take.text(fields, "slug"),
        name=take.text(fields, "name"),
        aliases=take.texts(fields, "aliases"),
        domains=take.texts(fields, "domains"),
        category=take.optional_text(fields, "category"),
        country=take.optional_text(fields, "country"),
        website=take.optional_text(fields, "website"),
    )


def _youtuber(fields: Fields) -> YoutuberFact:
    return YoutuberFact(
        key=take.text(fields, "key"),
        channel_id=take.optional_text(fields, "channel_id"),
        handle=take.optional_text(fields, "handle"),
        name=take.text(fields, "name"),
        subscribers=take.optional_count(fields, "subscribers"),
        country=take.optional_text(fields, "country"),
        category=take.optional_text(fields, "category"),
        source=take.optional_text(fields, "source"),
    )


def _video(fields: Fields) -> VideoRecord:
    return VideoRecord(
        key=take.text(fields, "key"),
        video_id=take.optional_text(fields, "video_id"),
        youtuber_key=take.text(fields, "youtuber"),
        title=take.optional_text(fields, "title"),
        published_at=take.instant(fields, "published_at"),
        views=take.optional_count(fields, "views"),
        category=take.optional_text(fields, "category"),
        duration_seconds=take.optional_count(fields, "duration_seconds"),
        detector_version=take.optional_text(fields, "detector_version"),
        sponsorships=tuple(_sponsorship(item) for item in take.items(fields, "sponsorships")),
        title_hash=take.optional_text(fields, "title_hash"),
    )


def _sponsorship(item: object) -> SponsorshipFact:
    if not isinstance(item, dict):
        raise UnreadableLine("field 'sponsorships' holds something that is no object")
    fields = cast("dict[str, Any]", item)
    start = take.optional_count(fields, "excerpt_start")
    end = take.optional_count(fields, "excerpt_end")
    if start is not None and end is not None and end < start:
        raise UnreadableLine("field 'excerpt_end' is before 'excerpt_start'")
    source = take.optional_text(fields, "excerpt_source")
    return SponsorshipFact(
        sponsor_slug=take.text(fields, "sponsor"),
        kind=_choice(take.text(fields, "kind"), "kind", KINDS),
        code=take.optional_text(fields, "code"),
        link=take.optional_text(fields, "link"),
        excerpt=take.optional_text(fields, "excerpt"),
        excerpt_source=None
        if source is None
        else _choice(source, "excerpt_source", EXCERPT_SOURCES),
        excerpt_start=start,
        excerpt_end=end,
        excerpt_hash=take.optional_text(fields, "excerpt_hash"),
        confidence=take.share(fields, "confidence"),
        detector_version=take.text(fields, "detector_version"),
        reason=take.text(fields, "reason"),
    )


def _choice(value: str, name: str, choices: tuple[T, ...]) -> T:
    for choice in choices:
        if choice == value:
            return choice
    raise UnreadableLine(f"field {name!r} is unknown: {value[:40]!r}")
