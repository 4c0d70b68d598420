"""Our own format: JSON lines with a "type" of sponsor, youtuber or video."""

from datetime import date
from typing import Any, TypeVar, cast

from devstack.catalog_files import fields as typed
from devstack.catalog_files.fields import Fields
from devstack.catalog_files.lines import UnreadableLine
from import_worker.domain.records import EXCERPT_SOURCES, KINDS, VideoRecord
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, YoutuberFact

T = TypeVar("T")


def decode(fields: Fields) -> SponsorFact | YoutuberFact | VideoRecord:
    """Return the record of a line.

    Raises:
        UnreadableLine: A field is missing, of a wrong type or out of range.
    """
    kind = typed.text(fields, "type")
    if kind == "sponsor":
        return _sponsor(fields)
    if kind == "youtuber":
        return _youtuber(fields)
    if kind == "video":
        return _video(fields)
    raise UnreadableLine(f"unknown type {kind[:40]!r}")


def _sponsor(fields: Fields) -> SponsorFact:
    return SponsorFact(
        slug=typed.text(fields, "slug"),
        name=typed.text(fields, "name"),
        aliases=typed.texts(fields, "aliases"),
        domains=typed.texts(fields, "domains"),
        category=typed.optional_text(fields, "category"),
        country=typed.optional_text(fields, "country"),
        website=typed.optional_text(fields, "website"),
    )


def _youtuber(fields: Fields) -> YoutuberFact:
    return YoutuberFact(
        key=typed.text(fields, "key"),
        channel_id=typed.optional_text(fields, "channel_id"),
        handle=typed.optional_text(fields, "handle"),
        name=typed.text(fields, "name"),
        subscribers=typed.optional_count(fields, "subscribers"),
        country=typed.optional_text(fields, "country"),
        category=typed.optional_text(fields, "category"),
        source=typed.optional_text(fields, "source"),
    )


def _video(fields: Fields) -> VideoRecord:
    return VideoRecord(
        key=typed.text(fields, "key"),
        video_id=typed.optional_text(fields, "video_id"),
        youtuber_key=typed.text(fields, "youtuber"),
        title=typed.optional_text(fields, "title"),
        published_at=typed.instant(fields, "published_at"),
        views=typed.optional_count(fields, "views"),
        category=typed.optional_text(fields, "category"),
        duration_seconds=typed.optional_count(fields, "duration_seconds"),
        detector_version=typed.optional_text(fields, "detector_version"),
        sponsorships=tuple(_sponsorship(item) for item in typed.items(fields, "sponsorships")),
        title_hash=typed.optional_text(fields, "title_hash"),
        paid_promotion_disclosed=typed.optional_flag(fields, "paid_promotion_disclosed"),
        likes=typed.optional_count(fields, "likes"),
        comments=typed.optional_count(fields, "comments"),
        observed_at=_optional_day(fields, "observed_at"),
        language=typed.optional_text(fields, "language"),
        broadcast=typed.optional_text(fields, "broadcast"),
        description_text=typed.optional_text(fields, "description_text"),
        disclosure_words=typed.optional_text(fields, "disclosure_words"),
    )


def _optional_day(fields: Fields, name: str) -> date | None:
    return None if fields.get(name) is None else typed.instant(fields, name).date()


def _sponsorship(item: object) -> SponsorshipFact:
    if not isinstance(item, dict):
        raise UnreadableLine("field 'sponsorships' holds something that is no object")
    fields = cast("dict[str, Any]", item)
    start = typed.optional_count(fields, "excerpt_start")
    end = typed.optional_count(fields, "excerpt_end")
    if start is not None and end is not None and end < start:
        raise UnreadableLine("field 'excerpt_end' is before 'excerpt_start'")
    source = typed.optional_text(fields, "excerpt_source")
    return SponsorshipFact(
        sponsor_slug=typed.text(fields, "sponsor"),
        kind=_choice(typed.text(fields, "kind"), "kind", KINDS),
        code=typed.optional_text(fields, "code"),
        link=typed.optional_text(fields, "link"),
        excerpt=typed.optional_text(fields, "excerpt"),
        excerpt_source=None
        if source is None
        else _choice(source, "excerpt_source", EXCERPT_SOURCES),
        excerpt_start=start,
        excerpt_end=end,
        excerpt_hash=typed.optional_text(fields, "excerpt_hash"),
        confidence=typed.share(fields, "confidence"),
        detector_version=typed.text(fields, "detector_version"),
        reason=typed.text(fields, "reason"),
        segment_start=typed.optional_count(fields, "segment_start"),
        segment_end=typed.optional_count(fields, "segment_end"),
        segment_source=typed.optional_text(fields, "segment_source"),
        reader=typed.optional_text(fields, "reader"),
    )


def _choice(value: str, name: str, choices: tuple[T, ...]) -> T:
    for choice in choices:
        if choice == value:
            return choice
    raise UnreadableLine(f"field {name!r} is unknown: {value[:40]!r}")
