"""Counts of sponsors, youtubers and sponsored videos by category.

Those of all kinds of sponsorship are stored by month; those of some are counted from the sponsorships.
"""

from typing import Final

from sqlalchemy import (
    ARRAY,
    TableValuedAlias,
    Text,
    bindparam,
    func,
    literal,
    select,
)

from catalog_service.domain import kinds
from catalog_service.domain.categories import SPONSOR_CATEGORIES, content_scope
from catalog_service.domain.kinds import ALL_SET, FREE_PRODUCT, Kinds
from catalog_service.domain.ports import CategoryCounts
from catalog_service.storage.columns import AnyRow, AnySelect, sum_where
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups.tables import category_months, sponsor_parts
from catalog_service.storage.tables import sponsor_youtubers, sponsors, sponsorships, youtubers


def _pairs() -> TableValuedAlias:
    """Return each category with itself and, as another `target`, with its group."""
    return (
        func.unnest(
            bindparam("categories", type_=ARRAY(Text)), bindparam("targets", type_=ARRAY(Text))
        )
        .table_valued("category", "target")
        .render_derived()
    )


def _of_sponsors() -> AnySelect:
    pairs = _pairs()
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


_p = sponsorships.c
_of_kinds: Final = _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text)))
_SUMS: Final = (
    func.count(_p.video_id.distinct()).label("videos"),
    func.count().label("sponsorships"),
    func.count().filter(_p.kind == FREE_PRODUCT).label("free_products"),
)


def _of_sponsors_by_kind() -> AnySelect:
    pairs = _pairs()
    return (
        select(pairs.c.target, func.count(_p.youtuber_id.distinct()).label("youtubers"), *_SUMS)
        .join_from(pairs, sponsorships, _p.sponsor_category == pairs.c.category)
        .where(_of_kinds)
        .group_by(pairs.c.target)
    )


_NONE: Final = (0, 0, 0)
_SPONSORS: Final = _of_sponsors()
_SPONSORS_BY_KIND: Final = _of_sponsors_by_kind()
_CONTENT_BY_KIND: Final = (
    select(
        _p.content_category.label("target"),
        func.count(_p.sponsor_id.distinct()).label("sponsors"),
        *_SUMS,
    )
    .where(_of_kinds, _p.content_category.is_not(None))
    .group_by(_p.content_category)
)
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
        sum_where(_m.videos, _m.kinds == ALL_SET).label("videos"),
        sum_where(_m.sponsorships, _m.kinds == ALL_SET).label("sponsorships"),
        sum_where(_m.sponsorships, _m.kinds == FREE_PRODUCT).label("free_products"),
    )
    .where(_m.kinds.in_((literal(ALL_SET), literal(FREE_PRODUCT))))
    .group_by(_m.category)
)
_CHANNELS: Final = (
    select(youtubers.c.category.label("target"), func.count().label("youtubers"))
    .where(youtubers.c.category.is_not(None))
    .group_by(youtubers.c.category)
)


async def of_sponsors(connection: QueryConnection, of_kinds: Kinds) -> dict[str, CategoryCounts]:
    values: dict[str, list[str]] = {
        "categories": [category for category, _ in _TARGETS],
        "targets": [target for _, target in _TARGETS],
    }
    rows = await connection.execute(_SPONSORS, values)
    if of_kinds == kinds.ALL:
        counts = await _scope_counts(connection)
        return {
            row.target: CategoryCounts(row.sponsors, row.youtubers, *counts.get(row.target, _NONE))
            for row in rows
        }
    values |= {"kinds": list(of_kinds)}
    chosen = {row.target: row for row in await connection.execute(_SPONSORS_BY_KIND, values)}
    return {
        row.target: CategoryCounts(row.sponsors, *_sums_of(chosen.get(row.target), "youtubers"))
        for row in rows
    }


async def of_content(connection: QueryConnection, of_kinds: Kinds) -> dict[str, CategoryCounts]:
    channels = {row.target: row.youtubers for row in await connection.execute(_CHANNELS)}
    if of_kinds != kinds.ALL:
        values = {"kinds": list(of_kinds)}
        chosen = {row.target: row for row in await connection.execute(_CONTENT_BY_KIND, values)}
        found = {target: _sums_of(chosen.get(target), "sponsors") for target in channels | chosen}
        return {
            target: CategoryCounts(brands, channels.get(target, 0), *counts)
            for target, (brands, *counts) in found.items()
        }
    sponsored = {row.target: row.sponsors for row in await connection.execute(_CONTENT)}
    counts = await _scope_counts(connection)
    return {
        target: CategoryCounts(
            sponsored.get(target, 0),
            channels.get(target, 0),
            *counts.get(content_scope(target), _NONE),
        )
        for target in channels.keys() | sponsored.keys()
    }


def _sums_of(row: AnyRow | None, others: str) -> tuple[int, int, int, int]:
    """Return the number of `others`, and what `_SUMS` counts."""
    if row is None:
        return (0, 0, 0, 0)
    return (getattr(row, others), row.videos, row.sponsorships, row.free_products)


async def _scope_counts(connection: QueryConnection) -> dict[str, tuple[int, int, int]]:
    """Return videos, sponsorships and free products by scope."""
    rows = await connection.execute(_COUNTED)
    return {row.scope: (row.videos, row.sponsorships, row.free_products) for row in rows}
