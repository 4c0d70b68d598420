"""Facts as rows: a list of facts is sent as one JSON parameter whose fields Postgres reads."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ARRAY,
    JSON,
    BigInteger,
    Boolean,
    Date,
    Double,
    Integer,
    TableValuedAlias,
    Text,
    bindparam,
    cast,
    column,
    func,
)

from catalog_service.storage.columns import AnyRow
from catalog_service.storage.tables import youtubers
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact, YoutuberFact

_SPONSOR: Final = {
    "slug": Text,
    "name": Text,
    "aliases": ARRAY(Text),
    "domains": ARRAY(Text),
    "category": Text,
    "country": Text,
    "website": Text,
}
_YOUTUBER: Final = {field.name: youtubers.c[field.name].type for field in fields(YoutuberFact)}
_VIDEO: Final = {
    "key": Text,
    "video_id": Text,
    "youtuber_key": Text,
    "title": Text,
    "published_at": Date,
    "views": BigInteger,
    "category": Text,
    "duration_seconds": Integer,
    "detector_version": Text,
    "sponsorships": JSON,
    "title_hash": Text,
    "paid_promotion_disclosed": Boolean,
    "likes": BigInteger,
    "comments": BigInteger,
    "observed_at": Date,
    "language": Text,
    "broadcast": Text,
    "disclosure_words": Text,
}
_VIDEO_STATE: Final = {"fact": JSON, "digest": Text, "format": Text}
_SPONSORSHIP: Final = {
    "sponsor_slug": Text,
    "kind": Text,
    "code": Text,
    "link": Text,
    "excerpt": Text,
    "excerpt_source": Text,
    "excerpt_start": Integer,
    "excerpt_end": Integer,
    "excerpt_hash": Text,
    "confidence": Double,
    "detector_version": Text,
    "reason": Text,
    "segment_start": Integer,
    "segment_end": Integer,
    "segment_source": Text,
    "reader": Text,
}


def parameter(facts: Sequence[object]) -> str:
    """Return the value of the parameter `facts` of a statement over the rows below."""
    return msgspec.json.encode(facts).decode()


def _rows(function: Any, source: Any, types: dict[str, Any]) -> TableValuedAlias:
    columns = (column(field, type_) for field, type_ in types.items())
    return function(source).table_valued(*columns).render_derived(with_types=True)


_many: Final = func.json_to_recordset
_to_record: Final = func.json_to_record
_relation_fields: Final = cast(bindparam("facts", type_=Text), JSON)
sponsor_facts: Final = _rows(_many, _relation_fields, _SPONSOR)
youtuber_facts: Final = _rows(_many, _relation_fields, _YOUTUBER)
video_states: Final = _rows(_many, _relation_fields, _VIDEO_STATE)
video_facts: Final = _rows(_to_record, video_states.c.fact, _VIDEO).lateral()
sponsorship_facts: Final = _rows(_many, video_facts.c.sponsorships, _SPONSORSHIP).lateral()


def sponsor_fact(row: AnyRow) -> SponsorFact:
    return _sponsor_fact(row, row.slug)


def part_fact(row: AnyRow) -> SponsorFact:
    """Return the facts about a merged sponsor."""
    return _sponsor_fact(row, row.from_slug)


def _sponsor_fact(row: AnyRow, slug: str) -> SponsorFact:
    return SponsorFact(
        slug=slug,
        name=row.name,
        aliases=tuple(row.aliases),
        domains=tuple(row.domains),
        category=row.category,
        country=row.country,
        website=row.website,
    )


def youtuber_fact(row: AnyRow) -> YoutuberFact:
    values = {name: getattr(row, name) for name in _YOUTUBER}
    values["imported_at"] = row.imported_at and row.imported_at.isoformat()
    return YoutuberFact(**values)


def video_fact(row: AnyRow, sponsorships: tuple[SponsorshipFact, ...]) -> VideoFact:
    return VideoFact(
        key=row.key,
        video_id=row.video_id,
        youtuber_key=row.youtuber_key,
        title=row.title,
        published_at=row.published_on.isoformat(),
        views=row.views,
        category=row.category,
        duration_seconds=row.duration_seconds,
        detector_version=row.detector_version,
        sponsorships=sponsorships,
        title_hash=row.title_hash,
        paid_promotion_disclosed=row.paid_promotion_disclosed,
        likes=row.likes,
        comments=row.comments,
        observed_at=row.observed_on and row.observed_on.isoformat(),
        language=row.language,
        broadcast=row.broadcast,
        disclosure_words=row.disclosure_words,
    )


def sponsorship_fact(row: AnyRow) -> SponsorshipFact:
    return SponsorshipFact(
        sponsor_slug=row.slug,
        kind=row.kind,
        code=row.code,
        link=row.link,
        excerpt=row.excerpt,
        excerpt_source=row.excerpt_source,
        excerpt_start=row.excerpt_start,
        excerpt_end=row.excerpt_end,
        excerpt_hash=row.excerpt_hash,
        confidence=row.confidence,
        detector_version=row.detector_version,
        reason=row.reason,
        segment_start=row.segment_start,
        segment_end=row.segment_end,
        segment_source=row.segment_source,
        reader=row.reader,
    )
