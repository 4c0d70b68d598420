"""The most active sponsors.

Without conditions on videos, all time is answered from the totals of the sponsors and whole months
from the rollups by month; everything else from the index of sponsorships that fits.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import ARRAY, Integer, Text, bindparam, func, select, true

from catalog_service.domain import periods
from catalog_service.domain.categories import ALL
from catalog_service.domain.queries import Page, Ranking
from catalog_service.storage import sponsorship_filter
from catalog_service.storage.columns import SPONSOR_REF, AnyRow, AnySelect, sponsor_ref
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups import months, rankings
from catalog_service.storage.rollups.months import total
from catalog_service.storage.sponsorship_filter import Conditions
from catalog_service.storage.tables import sponsors, sponsorships
from shapes.catalog.shared import Totals
from shapes.catalog.sponsors import RankedSponsor

_p, _s = sponsorships.c, sponsors.c
_IN_TOTALS: Final = frozenset({"categories"})
_IN_MONTHS: Final = frozenset({"categories", "start", "end"})
_METRICS: Final = ("videos", "youtubers", "views")


def _from_totals(conditions: Conditions) -> tuple[AnySelect, AnySelect]:
    """Select all sponsors with their statistics, and the sums of these."""
    chosen = [_s.videos > 0]
    if conditions:
        chosen.append(_s.category == func.any(bindparam("categories", type_=ARRAY(Text))))
    ranked = select(_s.id.label("sponsor_id"), *(_s[name] for name in _METRICS)).where(*chosen)
    return ranked, months.scope_totals()


def _from_sponsorships(conditions: Conditions) -> tuple[AnySelect, AnySelect]:
    """Select sponsors with sponsorships in the conditions, their statistics, and the sums of these."""
    counted = (
        select(_p.sponsor_id, _p.youtuber_id, _p.views)
        .where(*sponsorship_filter.clauses(conditions))
        .cte("counted")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    metrics = (
        func.count().label("videos"),
        func.count(counted.c.youtuber_id.distinct()).label("youtubers"),
        total(counted.c.views).label("views"),
    )
    return select(counted.c.sponsor_id, *metrics).group_by(counted.c.sponsor_id), select(*metrics)


@cache
def _statement(conditions: Conditions, metric: str) -> AnySelect:
    in_totals = _IN_TOTALS.issuperset(conditions)
    ranked, totals = (_from_totals if in_totals else _from_sponsorships)(conditions)
    ranks, sums = ranked.subquery("ranks"), totals.subquery("sums")
    order = (ranks.c[metric].desc(), ranks.c.sponsor_id)
    page = (
        select(ranks)
        .order_by(*order)
        .limit(bindparam("limit", type_=Integer))
        .offset(bindparam("offset", type_=Integer))
        .subquery("page")
    )
    return (
        select(
            *SPONSOR_REF,
            *(page.c[name] for name in _METRICS),
            *(sums.c[name].label(f"all_{name}") for name in _METRICS),
        )
        .select_from(sums)
        .outerjoin(page, true())
        .outerjoin(sponsors, _s.id == page.c.sponsor_id)
        .order_by(page.c[metric].desc(), page.c.sponsor_id)
    )


def is_one_statement(query: Ranking) -> bool:
    """Return true if the ranking is one statement, which needs no snapshot."""
    return periods.whole_months(query.period) is not None


async def ranking(
    connection: QueryConnection, query: Ranking, page: Page
) -> tuple[Totals, list[RankedSponsor]]:
    conditions, values = sponsorship_filter.conditions_of(query)
    rows = await _rows(connection, query, page, conditions, values)
    totals = Totals(rows[0].all_videos, rows[0].all_youtubers, rows[0].all_views)
    return totals, [
        RankedSponsor(
            rank=rank,
            sponsor=sponsor_ref(row),
            videos=row.videos,
            youtubers=row.youtubers,
            views=row.views,
            share=row.videos / totals.videos,
        )
        for rank, row in enumerate(rows, page.offset + 1)
        if row.sponsor_number is not None
    ]


async def _rows(
    connection: QueryConnection,
    query: Ranking,
    page: Page,
    conditions: Conditions,
    values: dict[str, Any],
) -> Sequence[AnyRow]:
    if _IN_MONTHS.issuperset(conditions):
        conditions_of = await months.whole(connection, query.period)
        if conditions_of is not None:
            # A group comes first of its categories.
            scope = query.categories[0] if query.categories else ALL
            values |= months.values(conditions_of) | {"scope": scope}
            if not _IN_TOTALS.issuperset(conditions):
                return await rankings.rows(connection, query.metric, page, values)
    values |= {"limit": page.limit + 1, "offset": page.offset}
    return (await connection.execute(_statement(conditions, query.metric), values)).all()
