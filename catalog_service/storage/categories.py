"""Counts of sponsors, youtubers and sponsored videos by category.

Those of all kinds of sponsorship and of paid work are in the rollups; those of other choices are counted from the sponsorships.
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

from catalog_service.domain import categories, kinds
from catalog_service.domain.categories import SPONSOR_CATEGORIES, content_scope
from catalog_service.domain.kinds import FREE_PRODUCT, Kinds
from catalog_service.domain.ports import CategoryCounts
from catalog_service.storage.columns import AnyRow, AnySelect, sum_where
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.tables import (
    FIRST,
    category_months,
    category_returns,
    sponsor_facets,
)
from catalog_service.storage.tables import sponsors, sponsorships, youtubers


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
_STORED: Final = {kinds.ALL: kinds.ALL_SET, kinds.PAID: kinds.PAID_SET}
"""The sets of kinds that rollups have youtubers of."""
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
_f, _m, _r = sponsor_facets.c, category_months.c, category_returns.c
_set_name: Final = bindparam("set_name", type_=Text)
_CONTENT: Final = (
    select(
        _f.facet,
        func.count().label("all"),
        func.count().filter(_f.videos > 0).label("paid"),
    )
    .where(_f.facet == func.any(bindparam("facets", type_=ARRAY(Text))))
    .group_by(_f.facet)
)
"""Sponsors by content category, of all kinds and of paid work."""

_COUNTED: Final = (
    select(
        _m.category.label("scope"),
        sum_where(_m.videos, _m.kinds == _set_name).label("videos"),
        sum_where(_m.sponsorships, _m.kinds == _set_name).label("sponsorships"),
        sum_where(_m.sponsorships, _m.kinds == FREE_PRODUCT).label("free_products"),
    )
    .where(_m.kinds.in_((_set_name, literal(FREE_PRODUCT))))
    .group_by(_m.category)
)
# Of all months, a youtuber counts in the first one.
_REACHED: Final = (
    select(
        _r.category.label("scope"),
        total(_r.youtubers).label("all"),
        total(_r.paid_youtubers).label("paid"),
    )
    .where(_r.since == FIRST)
    .group_by(_r.category)
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
    if (set_name := _STORED.get(of_kinds)) is not None:
        counts = await _scope_counts(connection, set_name)
        reached = {row.scope: getattr(row, set_name) for row in await connection.execute(_REACHED)}
        return {
            row.target: CategoryCounts(
                row.sponsors, reached.get(row.target, 0), *counts.get(row.target, _NONE)
            )
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
    set_name = _STORED.get(of_kinds)
    if set_name is None:
        values = {"kinds": list(of_kinds)}
        chosen = {row.target: row for row in await connection.execute(_CONTENT_BY_KIND, values)}
        found = {target: _sums_of(chosen.get(target), "sponsors") for target in channels | chosen}
        return {
            target: CategoryCounts(brands, channels.get(target, 0), *counts)
            for target, (brands, *counts) in found.items()
        }
    facets = {f"content:{category}": category for category in categories.names("content")}
    rows = await connection.execute(_CONTENT, {"facets": list(facets)})
    sponsored = {facets[row.facet]: getattr(row, set_name) for row in rows}
    counts = await _scope_counts(connection, set_name)
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


async def _scope_counts(
    connection: QueryConnection, set_name: str
) -> dict[str, tuple[int, int, int]]:
    """Return videos, sponsorships and free products by scope, of a set of kinds."""
    rows = await connection.execute(_COUNTED, {"set_name": set_name})
    return {
        row.scope: (
            row.videos,
            row.sponsorships,
            row.free_products if set_name == kinds.ALL_SET else 0,
        )
        for row in rows
    }
