"""Statistics of a sponsor over any period, from the index of its sponsorships."""

from typing import Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Date,
    Double,
    FromClause,
    Integer,
    Text,
    bindparam,
    case,
    func,
    literal_column,
    select,
    tuple_,
)

from catalog_service.domain.periods import GRANULARITIES
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.rollups.months import step_of, total
from catalog_service.storage.stats import period_sums
from catalog_service.storage.stats.share_of_voice import voice
from catalog_service.storage.tables import sponsorships

_p = sponsorships.c
_number: Final = bindparam("number", type_=BigInteger)
_in_period: Final = (
    _p.published_on >= bindparam("start", type_=Date),
    _p.published_on <= bindparam("end", type_=Date),
    _p.confidence >= bindparam("min_confidence", type_=Double),
    _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text))),
)


def _totals(each: FromClause) -> AnySelect:
    """Select videos, youtubers, those of them with several videos, and views of a selection by youtuber."""
    return select(
        total(each.c.videos).label("videos"),
        func.count().label("youtubers"),
        func.count().filter(each.c.videos > 1).label("repeated"),
        total(each.c.views).label("views"),
    )


def _sums(granularity: str) -> AnySelect:
    """Select what `period_sums.select_all` does by reading each sponsorship once."""
    parts = {"content": _p.content_category, "country": _p.country, "kind": _p.kind}
    step = step_of(_p.published_on, granularity).label("step")
    # Of youtuber and parts, the one that a row is by has its bit clear.
    grouping = func.grouping(_p.youtuber_id, *parts.values())
    by_youtuber, *by_part = (literal_column(bits, Integer) for bits in ("7", "11", "13", "14"))
    counted = (
        select(
            grouping.label("grouping"),
            _p.youtuber_id,
            step,
            func.coalesce(*parts.values()).label("value"),
            func.count().label("videos"),
            func.sum(_p.views).label("views"),
        )
        .where(_p.sponsor_id == _number, *_in_period)
        .group_by(func.grouping_sets(tuple_(_p.youtuber_id, step), *parts.values()))
        .cte("counted")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    row = counted.c
    each = (
        select(total(row.videos).label("videos"), total(row.views).label("views"))
        .where(row.grouping == by_youtuber)
        .group_by(row.youtuber_id)
        .subquery("each")
    )
    series = (
        select(
            row.step,
            total(row.videos).label("videos"),
            func.count().label("youtubers"),
            total(row.views).label("views"),
        )
        .where(row.grouping == by_youtuber)
        .group_by(row.step)
    )
    part = case(dict(zip(by_part, parts, strict=True)), value=row.grouping)
    breakdown = select(part.label("part"), row.value, row.videos).where(row.grouping != by_youtuber)
    return period_sums.select_all(_totals(each), series, breakdown)


# First by youtuber: to count different ones by hashing costs a fraction of doing it by sorting.
TOTALS: Final = _totals(
    select(func.count().label("videos"), func.sum(_p.views).label("views"))
    .where(_p.sponsor_id == _number, *_in_period)
    .group_by(_p.youtuber_id)
    .subquery("each")
)
SUMS: Final = {granularity: _sums(granularity) for granularity in GRANULARITIES}


def _voice() -> AnySelect:
    counted = (
        select(_p.sponsor_id, _p.video_id)
        .where(_p.sponsor_category == bindparam("category"), *_in_period)
        .cte("counted")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    different = select(counted.c.video_id).group_by(counted.c.video_id).subquery("different")
    each = select(counted.c.sponsor_id, func.count().label("videos"))
    return voice(
        each.group_by(counted.c.sponsor_id),
        select(func.count()).select_from(different).scalar_subquery(),
    )


VOICE: Final = _voice()
