"""Youtubers that sponsors have in common, and sponsors that youtubers have in common."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ARRAY, BigInteger, Integer, bindparam, func, select

from catalog_service.domain import public_ids
from catalog_service.domain.queries import Page
from catalog_service.storage.columns import SPONSOR_REF, AnySelect, sponsor_ref
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.tables import sponsor_youtubers, sponsors
from shapes.catalog.comparisons import SharedRelation, SharedSponsor

_numbers: Final = bindparam("numbers", type_=ARRAY(BigInteger))
_relation: Final = sponsor_youtubers.c


def _shared_youtubers() -> AnySelect:
    left, right = sponsor_youtubers.alias("left"), sponsor_youtubers.alias("right")
    return (
        select(
            left.c.sponsor_id, right.c.sponsor_id.label("other_id"), func.count().label("youtubers")
        )
        .join_from(
            left,
            right,
            (right.c.youtuber_id == left.c.youtuber_id) & (right.c.sponsor_id > left.c.sponsor_id),
        )
        .where(left.c.sponsor_id == func.any(_numbers), right.c.sponsor_id == func.any(_numbers))
        .group_by(left.c.sponsor_id, right.c.sponsor_id)
    )


def _shared_sponsors() -> AnySelect:
    common = (
        select(_relation.sponsor_id, func.sum(_relation.videos).label("videos"))
        .where(_relation.youtuber_id == func.any(_numbers))
        .group_by(_relation.sponsor_id)
        .having(func.count() == func.cardinality(_numbers))
        .subquery("common")
    )
    return (
        select(*SPONSOR_REF, common.c.videos.label("all_videos"))
        .join_from(common, sponsors, sponsors.c.id == common.c.sponsor_id)
        .order_by(common.c.videos.desc(), common.c.sponsor_id)
        .limit(bindparam("limit", type_=Integer))
        .offset(bindparam("offset", type_=Integer))
    )


_SHARED_YOUTUBERS: Final = _shared_youtubers()
_SHARED_SPONSORS: Final = _shared_sponsors()
_RELATIONS: Final = select(
    _relation.sponsor_id,
    _relation.youtuber_id,
    _relation.videos,
    _relation.first_seen,
    _relation.last_seen,
).where(
    _relation.youtuber_id == func.any(_numbers),
    _relation.sponsor_id == func.any(bindparam("sponsors", type_=ARRAY(BigInteger))),
)


async def youtubers_of(
    connection: QueryConnection, numbers: Sequence[int]
) -> dict[frozenset[int], int]:
    rows = await connection.execute(_SHARED_YOUTUBERS, {"numbers": list(numbers)})
    return {frozenset((row.sponsor_id, row.other_id)): row.youtubers for row in rows}


async def sponsors_of(
    connection: QueryConnection, numbers: Sequence[int], page: Page
) -> list[SharedSponsor]:
    values = {"numbers": list(numbers), "limit": page.limit + 1, "offset": page.offset}
    found = (await connection.execute(_SHARED_SPONSORS, values)).all()
    related = {"numbers": list(numbers), "sponsors": [row.sponsor_number for row in found]}
    relations = {
        (row.sponsor_id, row.youtuber_id): SharedRelation(
            public_ids.youtuber(row.youtuber_id), row.videos, row.first_seen, row.last_seen
        )
        for row in await connection.execute(_RELATIONS, related)
    }
    return [
        SharedSponsor(
            sponsor_ref(row),
            int(row.all_videos),
            tuple(relations[row.sponsor_number, number] for number in numbers),
        )
        for row in found
    ]
