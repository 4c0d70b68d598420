"""Counts of sponsors, youtubers and sponsored videos by category, from the rollups."""

from dataclasses import replace
from typing import Final

from sqlalchemy import (
    ARRAY,
    TableValuedAlias,
    Text,
    bindparam,
    func,
    select,
)

from catalog_service.domain import categories, kinds
from catalog_service.domain.categories import SPONSOR_CATEGORIES, content_scope
from catalog_service.domain.kinds import FREE_PRODUCT, Kinds
from catalog_service.domain.ports import CategoryCounts
from catalog_service.storage.columns import AnySelect, sum_where
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.tables import category_facets, category_months
from catalog_service.storage.tables import sponsors, youtubers


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
    return (
        select(pairs.c.target, func.count().label("sponsors"))
        .join_from(pairs, sponsors, sponsors.c.category == pairs.c.category)
        .group_by(pairs.c.target)
    )


_SPONSORS: Final = _of_sponsors()
_TARGETS: Final = [
    (entry.id, target)
    for entry in SPONSOR_CATEGORIES
    for target in (entry.id, entry.parent)
    if target is not None
]
_f, _m = category_facets.c, category_months.c
_DIFFERENT: Final = (
    select(
        _f.category.label("scope"),
        *(total(_f[name]).label(name) for name in ("sponsors", "youtubers", "videos")),
    )
    .where(_f.facet == func.any(bindparam("facets", type_=ARRAY(Text))))
    .group_by(_f.category)
)
_SUMS: Final = (
    select(
        _m.category.label("scope"),
        total(_m.sponsorships).label("sponsorships"),
        sum_where(_m.sponsorships, _m.kinds == FREE_PRODUCT).label("free_products"),
    )
    .where(_m.kinds == func.any(bindparam("kinds", type_=ARRAY(Text))))
    .group_by(_m.category)
)
_NONE: Final = CategoryCounts(0, 0, 0, 0, 0)
_CHANNELS: Final = (
    select(youtubers.c.category.label("target"), func.count().label("youtubers"))
    .where(youtubers.c.category.is_not(None))
    .group_by(youtubers.c.category)
)


async def of_sponsors(connection: QueryConnection, of_kinds: Kinds) -> dict[str, CategoryCounts]:
    values = {
        "categories": [category for category, _ in _TARGETS],
        "targets": [target for _, target in _TARGETS],
    }
    counts = await _counts(connection, of_kinds)
    rows = await connection.execute(_SPONSORS, values)
    return {
        row.target: replace(counts.get(row.target, _NONE), sponsors=row.sponsors) for row in rows
    }


async def of_content(connection: QueryConnection, of_kinds: Kinds) -> dict[str, CategoryCounts]:
    counts = await _counts(connection, of_kinds)
    channels = {row.target: row.youtubers for row in await connection.execute(_CHANNELS)}
    return {
        category: replace(
            counts.get(content_scope(category), _NONE), youtubers=channels.get(category, 0)
        )
        for category in categories.names("content")
    }


async def _counts(connection: QueryConnection, of_kinds: Kinds) -> dict[str, CategoryCounts]:
    """Return the counts of sponsorships of these kinds by scope."""
    facets = {"facets": kinds.mask_facets(of_kinds)}
    different = {row.scope: row for row in await connection.execute(_DIFFERENT, facets)}
    sums = await connection.execute(_SUMS, {"kinds": of_kinds})
    return {
        row.scope: CategoryCounts(
            found.sponsors, found.youtubers, found.videos, row.sponsorships, row.free_products
        )
        for row in sums
        if (found := different.get(row.scope)) is not None
    }
