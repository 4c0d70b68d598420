"""Statistics of a sponsor over any period, from the index of its sponsorships."""

from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Date,
    Double,
    Text,
    bindparam,
    case,
    func,
    select,
)

from catalog_service.domain.periods import GRANULARITIES
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.rollups.months import step_of, total
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


def _totals(*step: ColumnElement[Any]) -> AnySelect:
    """Select videos, youtubers, those of them with several videos, and views; by step if one is given.

    First by youtuber: to count different ones by hashing costs a fraction of doing it by sorting.
    """
    each = (
        select(*step, func.count().label("videos"), func.sum(_p.views).label("views"))
        .where(_p.sponsor_id == _number, *_in_period)
        .group_by(_p.youtuber_id, *step)
        .subquery("each")
    )
    steps = (each.c.step,) if step else ()
    return select(
        *steps,
        total(each.c.videos).label("videos"),
        func.count().label("youtubers"),
        func.count().filter(each.c.videos > 1).label("repeated"),
        total(each.c.views).label("views"),
    ).group_by(*steps)


def _breakdown() -> AnySelect:
    """Select videos by content category, country and kind."""
    parts = {"content": _p.content_category, "country": _p.country, "kind": _p.kind}
    # Of the columns that are grouped by in turn, the one that a row is by has its bit clear.
    grouping = func.grouping(*parts.values())
    of = dict(zip((3, 5, 6), parts.items(), strict=True))
    return (
        select(
            case({bits: name for bits, (name, _) in of.items()}, value=grouping).label("part"),
            case({bits: value for bits, (_, value) in of.items()}, value=grouping).label("value"),
            func.count().label("videos"),
        )
        .where(_p.sponsor_id == _number, *_in_period)
        .group_by(func.grouping_sets(*parts.values()))
    )


TOTALS: Final = _totals()
SERIES: Final = {
    granularity: _totals(step_of(_p.published_on, granularity).label("step"))
    for granularity in GRANULARITIES
}
BREAKDOWN: Final = _breakdown()


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
