"""Sponsors by the change of their rate on channels that are known in two periods."""

from functools import cache
from math import log
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Integer,
    Subquery,
    bindparam,
    case,
    false,
    func,
    select,
    true,
)

from catalog_service.domain.ports import Changes, SponsorChange
from catalog_service.domain.queries import TrendQuery
from catalog_service.domain.same_channels import INTERVAL, MIN_EXPECTED, MIN_YOUTUBERS
from catalog_service.domain.trends import (
    FALLING,
    MATERIAL,
    MIN_REST,
    MIN_SUPPORT,
    RISING,
    SIGNIFICANT,
)
from catalog_service.storage import sponsorship_filter
from catalog_service.storage.columns import SPONSOR_REF, AnySelect, sponsor_ref
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups.months import total
from catalog_service.storage.sponsorship_filter import Conditions
from catalog_service.storage.stats import same_channels
from catalog_service.storage.tables import sponsors, sponsorships

_p: Final = sponsorships.c
_OF_FEW: Final = frozenset({"in_sponsors", "in_youtubers"})
"""Conditions that leave few youtubers."""

_COUNTS: Final = (*same_channels.NAMES, "now_youtubers", "previous_youtubers")


@cache
def _statement(conditions: Conditions, direction: str) -> AnySelect:
    """Select sponsors in order of `same_channels.score`, those without support for a verdict last."""
    is_later = same_channels.is_later(_p.published_on)
    is_earlier = same_channels.is_earlier(_p.published_on)
    pairs = (
        select(
            _p.sponsor_id,
            _p.youtuber_id,
            func.count().filter(is_later).label("later"),
            func.count().filter(is_earlier).label("earlier"),
        )
        .where(
            _p.published_on.between(same_channels.PREVIOUS_START, same_channels.END),
            *sponsorship_filter.clauses(conditions),
        )
        .group_by(_p.sponsor_id, _p.youtuber_id)
        .cte("pairs")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    creators = select(pairs.c.youtuber_id).distinct().cte("creators")
    known = (
        same_channels.known_channels(creators)
        if _OF_FEW.intersection(conditions)
        else same_channels.known_channels_of_many(creators)
    )
    counted = (
        select(
            pairs.c.sponsor_id,
            *same_channels.channel_columns(pairs, known),
            func.count().filter(known.c.later > 0, pairs.c.later > 0).label("now_youtubers"),
            func.count().filter(known.c.later > 0, pairs.c.earlier > 0).label("previous_youtubers"),
        )
        .select_from(same_channels.with_known(pairs, known))
        .group_by(pairs.c.sponsor_id)
        .having(func.count(known.c.later) > 0)
        .cte("counted")
    )
    deviation = counted.c.later - counted.c.earlier
    score = deviation / func.nullif(func.sqrt(counted.c.variance), 0)
    ranked = select(
        counted, score.label("score"), _is_supported(counted, deviation, score).label("supported")
    )
    if direction != "all":
        ranked = ranked.where(score > 0 if direction == RISING else score < 0)
    rows = ranked.subquery("ranked")
    page = (
        select(rows)
        .order_by(*_order(rows, direction))
        .limit(bindparam("limit", type_=Integer))
        .subquery("page")
    )
    sums = (
        select(
            select(total(pairs.c.later)).scalar_subquery().label("all_videos"),
            select(total(pairs.c.earlier)).scalar_subquery().label("all_previous"),
            select(func.count()).select_from(creators).scalar_subquery().label("creators"),
            select(func.count()).select_from(counted).scalar_subquery().label("compared_sponsors"),
            func.count().label("compared_youtubers"),
            total(known.c.later).label("all_known"),
            total(known.c.earlier).label("all_previous_known"),
        )
        .select_from(known)
        .subquery("sums")
    )
    return (
        select(*SPONSOR_REF, *(page.c[name].label(f"sponsor_{name}") for name in _COUNTS), *sums.c)
        .select_from(sums)
        .outerjoin(page, true())
        .outerjoin(sponsors, sponsors.c.id == page.c.sponsor_id)
        .order_by(*_order(page, direction))
    )


def _is_supported(
    sums: Subquery, deviation: ColumnElement[Any], score: ColumnElement[Any]
) -> ColumnElement[bool]:
    """Return true where `trends.trend_of` has a verdict."""
    n = sums.c.videos + sums.c.previous_videos
    return (
        (n >= MIN_SUPPORT)
        & (sums.c.youtubers >= MIN_YOUTUBERS)
        & (func.least(sums.c.expected, n - sums.c.expected) >= MIN_EXPECTED)
        & case(
            (func.abs(score) < SIGNIFICANT, _is_steady(sums)),
            else_=(deviation - sums.c.highest >= MIN_REST)
            | (sums.c.lowest - deviation >= MIN_REST),
        )
    )


def _is_steady(sums: Subquery) -> ColumnElement[bool]:
    """Return true where the interval of the change excludes a material one."""
    product = sums.c.later * sums.c.earlier
    farther_end = func.abs(func.ln(sums.c.later / sums.c.earlier)) + INTERVAL * func.sqrt(
        sums.c.variance / product
    )
    return case((product > 0, farther_end < log(MATERIAL)), else_=false())


def _order(rows: Subquery, direction: str) -> tuple[ColumnElement[Any], ...]:
    by_score = {RISING: rows.c.score.desc(), FALLING: rows.c.score.asc()}
    return (
        rows.c.supported.desc(),
        by_score.get(direction, func.abs(rows.c.score).desc()).nulls_last(),
        (rows.c.videos + rows.c.previous_videos).desc(),
        rows.c.sponsor_id,
    )


async def changes(connection: QueryConnection, query: TrendQuery) -> Changes:
    conditions, values = sponsorship_filter.conditions_of(query.scope)
    conditions = tuple(name for name in conditions if name not in {"start", "end"})
    parameters: dict[str, Any] = {name: values[name] for name in conditions}
    parameters |= same_channels.values(query.period, query.previous) | {"limit": query.limit}
    rows = (await connection.execute(_statement(conditions, query.direction), parameters)).all()
    sums = rows[0]
    return Changes(
        all_videos=sums.all_videos,
        all_previous=sums.all_previous,
        youtubers=sums.creators,
        compared_youtubers=sums.compared_youtubers,
        compared_sponsors=sums.compared_sponsors,
        known_videos=sums.all_known,
        previous_known_videos=sums.all_previous_known,
        sponsors=tuple(
            SponsorChange(
                sponsor_ref(row),
                same_channels.channel_sums(row, "sponsor_{}".format),
                row.sponsor_now_youtubers,
                row.sponsor_previous_youtubers,
            )
            for row in rows
            if row.sponsor_number is not None
        ),
    )
