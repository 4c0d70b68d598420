"""Counts of sponsors, youtubers and sponsored videos by category."""

from typing import Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Text,
    bindparam,
    cast,
    func,
    literal,
    select,
)

from catalog_service.domain.categories import SPONSOR_CATEGORIES, content_scope
from catalog_service.domain.kinds import ALL_SET, FREE_PRODUCT
from catalog_service.domain.ports import CategoryCounts
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups.tables import category_months, sponsor_parts
from catalog_service.storage.tables import sponsor_youtubers, sponsors, youtubers


def _sum(value: ColumnElement[int], condition: ColumnElement[bool]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(value).filter(condition), 0), BigInteger)


def _of_sponsors() -> AnySelect:
    """Select each category for itself and, as `target`, for its group."""
    pairs = (
        func.unnest(
            bindparam("categories", type_=ARRAY(Text)), bindparam("targets", type_=ARRAY(Text))
        )
        .table_valued("category", "target")
        .render_derived()
    )
    in_target = sponsors.c.category == pairs.c.category
    reached = (
        select(pairs.c.target, func.count(sponsor_youtubers.c.youtuber_id.distinct()).label("n"))
        .join_from(pairs, sponsors, in_target)
        .join(sponsor_youtubers, sponsor_youtubers.c.sponsor_id == sponsors.c.id)
        .group_by(pairs.c.target)
        .subquery("reached")
    )
    return (
        select(
            pairs.c.target,
            func.count().label("sponsors"),
            func.coalesce(func.max(reached.c.n), 0).label("youtubers"),
        )
        .join_from(pairs, sponsors, in_target)
        .outerjoin(reached, reached.c.target == pairs.c.target)
        .group_by(pairs.c.target)
    )


_NONE: Final = (0, 0, 0)
_SPONSORS: Final = _of_sponsors()
_TARGETS: Final = [
    (entry.id, target)
    for entry in SPONSOR_CATEGORIES
    for target in (entry.id, entry.parent)
    if target is not None
]
_CONTENT: Final = (
    select(
        sponsor_parts.c.value.label("target"),
        func.count(sponsor_parts.c.sponsor_id.distinct()).label("sponsors"),
    )
    .where(sponsor_parts.c.part == "content")
    .group_by(sponsor_parts.c.value)
)
_m = category_months.c
_COUNTED: Final = (
    select(
        _m.category.label("scope"),
        _sum(_m.videos, _m.kinds == ALL_SET).label("videos"),
        _sum(_m.sponsorships, _m.kinds == ALL_SET).label("sponsorships"),
        _sum(_m.sponsorships, _m.kinds == FREE_PRODUCT).label("free_products"),
    )
    .where(_m.kinds.in_((literal(ALL_SET), literal(FREE_PRODUCT))))
    .group_by(_m.category)
)
_CHANNELS: Final = (
    select(youtubers.c.category.label("target"), func.count().label("youtubers"))
    .where(youtubers.c.category.is_not(None))
    .group_by(youtubers.c.category)
)


async def of_sponsors(connection: QueryConnection) -> dict[str, CategoryCounts]:
    values = {
        "categories": [category for category, _ in _TARGETS],
        "targets": [target for _, target in _TARGETS],
    }
    rows = await connection.execute(_SPONSORS, values)
    counted = await _counted(connection)
    return {
        row.target: CategoryCounts(row.sponsors, row.youtubers, *counted.get(row.target, _NONE))
        for row in rows
    }


async def of_content(connection: QueryConnection) -> dict[str, CategoryCounts]:
    channels = {row.target: row.youtubers for row in await connection.execute(_CHANNELS)}
    sponsored = {row.target: row.sponsors for row in await connection.execute(_CONTENT)}
    counted = await _counted(connection)
    return {
        target: CategoryCounts(
            sponsored.get(target, 0),
            channels.get(target, 0),
            *counted.get(content_scope(target), _NONE),
        )
        for target in channels.keys() | sponsored.keys()
    }


async def _counted(connection: QueryConnection) -> dict[str, tuple[int, int, int]]:
    """Return videos, sponsorships and free products by scope."""
    rows = await connection.execute(_COUNTED)
    return {row.scope: (row.videos, row.sponsorships, row.free_products) for row in rows}
