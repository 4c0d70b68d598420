"""Sponsors by the change of their share between two periods."""

from functools import cache
from typing import Any, Final

from sqlalchemy import Date, Double, Integer, bindparam, case, cast, func, literal, select, true

from catalog_service.domain.ports import Changes, SponsorChange
from catalog_service.domain.queries import TrendQuery
from catalog_service.domain.trends import FALLING, MIN_SUPPORT, MIN_YOUTUBERS, RISING
from catalog_service.storage import sponsorship_filter
from catalog_service.storage.columns import SPONSOR_REF, AnySelect, sponsor_ref
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.sponsorship_filter import Conditions
from catalog_service.storage.tables import sponsors, sponsorships

_p: Final = sponsorships.c
_previous_start: Final = bindparam("previous_start", type_=Date)
_previous_end: Final = bindparam("previous_end", type_=Date)
_start: Final = bindparam("period_start", type_=Date)
_end: Final = bindparam("period_end", type_=Date)


@cache
def _statement(conditions: Conditions, direction: str) -> AnySelect:
    """Select sponsors in order of `trends.score`, those with less support last."""
    is_now = _p.published_on.between(_start, _end)
    is_before = _p.published_on.between(_previous_start, _previous_end)
    counted = (
        select(
            _p.sponsor_id,
            func.count().filter(is_now).label("videos"),
            func.count().filter(is_before).label("previous"),
            func.count(_p.youtuber_id.distinct()).filter(is_now).label("youtubers"),
            func.count(_p.youtuber_id.distinct()).filter(is_before).label("previous_youtubers"),
            func.count(_p.youtuber_id.distinct()).label("all_youtubers"),
        )
        .where(
            _p.published_on.between(_previous_start, _end), *sponsorship_filter.clauses(conditions)
        )
        .group_by(_p.sponsor_id)
        .cte("counted")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    sums = select(
        func.coalesce(func.sum(counted.c.videos), 0).label("all_videos"),
        func.coalesce(func.sum(counted.c.previous), 0).label("all_previous"),
    ).subquery("sums")
    n = counted.c.videos + counted.c.previous
    both = func.nullif(sums.c.all_videos + sums.c.all_previous, 0)
    p = cast(sums.c.all_videos, Double) / both
    score = (counted.c.videos - n * p) / func.nullif(func.sqrt(n * p * (literal(1.0) - p)), 0)
    supported = (n >= MIN_SUPPORT) & (counted.c.all_youtubers >= MIN_YOUTUBERS)
    order = {
        RISING: score.desc().nulls_last(),
        FALLING: score.asc().nulls_last(),
        "all": func.abs(score).desc().nulls_last(),
    }[direction]
    ranked = (
        select(counted, supported.label("supported"), score.label("score"))
        .join_from(counted, sums, true())
        .where(n > 0)
    )
    if direction != "all":
        ranked = ranked.where(score > 0 if direction == RISING else score < 0)
    page = (
        ranked.order_by(supported.desc(), order, n.desc(), counted.c.sponsor_id)
        .limit(bindparam("limit", type_=Integer))
        .subquery("page")
    )
    names = ("videos", "previous", "youtubers", "previous_youtubers", "all_youtubers")
    order_of_page = case((page.c.supported, 0), else_=1)
    rank = {RISING: page.c.score.desc(), FALLING: page.c.score.asc()}.get(
        direction, func.abs(page.c.score).desc()
    )
    return (
        select(*SPONSOR_REF, *(page.c[name].label(f"sponsor_{name}") for name in names), *sums.c)
        .select_from(sums)
        .outerjoin(page, true())
        .outerjoin(sponsors, sponsors.c.id == page.c.sponsor_id)
        .order_by(
            order_of_page,
            rank.nulls_last(),
            (page.c.videos + page.c.previous).desc(),
            page.c.sponsor_id,
        )
    )


async def changes(connection: QueryConnection, query: TrendQuery) -> Changes:
    conditions, values = sponsorship_filter.conditions_of(query.scope)
    conditions = tuple(name for name in conditions if name not in {"start", "end"})
    parameters: dict[str, Any] = {name: values[name] for name in conditions}
    parameters |= {
        "period_start": query.period.from_date,
        "period_end": query.period.to_date,
        "previous_start": query.previous.from_date,
        "previous_end": query.previous.to_date,
        "limit": query.limit,
    }
    rows = (await connection.execute(_statement(conditions, query.direction), parameters)).all()
    return Changes(
        all_videos=int(rows[0].all_videos),
        all_previous=int(rows[0].all_previous),
        sponsors=tuple(
            SponsorChange(
                sponsor_ref(row),
                row.sponsor_videos,
                row.sponsor_previous,
                row.sponsor_youtubers,
                row.sponsor_previous_youtubers,
                row.sponsor_all_youtubers,
            )
            for row in rows
            if row.sponsor_number is not None
        ),
    )
