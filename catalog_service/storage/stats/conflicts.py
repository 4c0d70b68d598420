"""Other sponsors of a sponsor's category on a channel in a period."""

from typing import Any, Final

from sqlalchemy import ARRAY, BigInteger, Date, Integer, Text, bindparam, func, select
from sqlalchemy.dialects.postgresql import distinct_on

from catalog_service.domain.conflicts import ConflictQuery, FoundConflicts
from catalog_service.storage.columns import (
    CLAIM,
    SPONSOR_REF,
    VIDEO,
    AnyRow,
    AnySelect,
    evidence,
    sponsor_ref,
    video,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.tables import sponsors, sponsorships, videos
from shapes.catalog.records import Conflict

_p, _v = sponsorships.c, videos.c
_category: Final = bindparam("category", type_=Text)
_limit: Final = bindparam("limit", type_=Integer)
_IN_PERIOD: Final = (
    _p.youtuber_id == bindparam("number", type_=BigInteger),
    _p.published_on.between(bindparam("start", type_=Date), bindparam("end", type_=Date)),
    _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text))),
    _p.sponsor_id != bindparam("sponsor", type_=BigInteger),
)


def _of_category() -> AnySelect:
    """Select the latest sponsorship of each sponsor of the category, and how many it has."""
    latest = (
        select(
            _p.sponsor_id,
            _p.video_id,
            _p.published_on,
            func.count().over(partition_by=_p.sponsor_id).label("videos"),
        )
        .ext(distinct_on(_p.sponsor_id))
        .where(*_IN_PERIOD, _p.sponsor_category == _category)
        .order_by(_p.sponsor_id, _p.published_on.desc(), _p.video_id.desc())
        .subquery("latest")
    )
    return (
        select(
            *SPONSOR_REF,
            *VIDEO,
            *CLAIM,
            latest.c.videos.label("sponsor_videos"),
            func.count().over().label("brands"),
        )
        .select_from(latest)
        .join(sponsors, sponsors.c.id == latest.c.sponsor_id)
        .join(videos, _v.id == latest.c.video_id)
        .join(
            sponsorships,
            (_p.video_id == latest.c.video_id) & (_p.sponsor_id == latest.c.sponsor_id),
        )
        .order_by(latest.c.published_on.desc(), latest.c.video_id.desc(), latest.c.sponsor_id)
        .limit(_limit)
    )


def _unknown() -> AnySelect:
    """Select sponsors that may be of the category: those without one, or all if the category is null."""
    last = func.max(_p.published_on)
    return (
        select(*SPONSOR_REF, func.count().over().label("brands"))
        .join_from(sponsorships, sponsors, sponsors.c.id == _p.sponsor_id)
        .where(*_IN_PERIOD, _p.sponsor_category.is_(None) | _category.is_(None))
        .group_by(sponsors.c.id)
        .order_by(last.desc(), sponsors.c.id)
        .limit(_limit)
    )


_OF_CATEGORY: Final = _of_category()
_UNKNOWN: Final = _unknown()


async def find(connection: QueryConnection, query: ConflictQuery) -> FoundConflicts:
    values: dict[str, Any] = {
        "number": query.youtuber,
        "sponsor": query.sponsor,
        "category": query.category,
        "start": query.period.from_date,
        "end": query.period.to_date,
        "kinds": query.kinds,
    }
    found = (await connection.execute(_OF_CATEGORY, values | {"limit": query.limit})).all()
    unknown = (await connection.execute(_UNKNOWN, values | {"limit": query.examples})).all()
    return FoundConflicts(
        conflicts=tuple(_conflict(row) for row in found),
        brands=found[0].brands if found else 0,
        unknown_brands=unknown[0].brands if unknown else 0,
        unknown_examples=tuple(sponsor_ref(row) for row in unknown),
    )


def _conflict(row: AnyRow) -> Conflict:
    return Conflict(
        sponsor=sponsor_ref(row),
        last_seen=row.published_on,
        videos=row.sponsor_videos,
        video=video(row),
        kind=row.kind,
        evidence=evidence(row, row.youtube_video_id),
        confidence=row.confidence,
    )
