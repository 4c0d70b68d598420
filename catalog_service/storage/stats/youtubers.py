"""One youtuber: card, coverage and statistics over a period."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Date,
    Double,
    Text,
    bindparam,
    func,
    literal_column,
    select,
)

from catalog_service.domain.periods import GRANULARITIES, RequestedPeriod
from catalog_service.domain.ports import PartCounts, YoutuberSums
from catalog_service.domain.queries import YoutuberStatsQuery
from catalog_service.storage.columns import (
    COVERAGE,
    YOUTUBER_CARD,
    AnyRow,
    AnySelect,
    coverage,
    youtuber_card,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups.months import step_of
from catalog_service.storage.stats import view_comparison
from catalog_service.storage.stats.claimed_videos import claimed_videos
from catalog_service.storage.tables import sponsorships, videos, youtubers
from shapes.catalog.shared import Coverage, YoutuberCard
from shapes.catalog.youtubers import YoutuberSeriesPoint

_p, _v = sponsorships.c, videos.c
_number: Final = bindparam("number", type_=BigInteger)
_start: Final = bindparam("start", type_=Date)
_end: Final = bindparam("end", type_=Date)
_matches_filter: Final = (
    _p.confidence >= bindparam("min_confidence", type_=Double),
    _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text))),
)

_CARD: Final = select(*YOUTUBER_CARD).where(youtubers.c.id == _number)
_COVERAGE: Final = select(*COVERAGE).where(youtubers.c.id == _number)
_IN_PERIOD: Final = select(func.count(_v.id)).where(
    _v.youtuber_id == _number, _v.published_on.between(_start, _end)
)

_AROUND: Final = select(
    select(func.max(_v.published_on))
    .where(_v.youtuber_id == _number, _v.published_on < _start)
    .scalar_subquery()
    .label("before"),
    select(func.min(_v.published_on))
    .where(_v.youtuber_id == _number, _v.published_on > _end)
    .scalar_subquery()
    .label("after"),
)

_KINDS: Final = (
    select(
        _p.kind,
        func.count().label("sponsorships"),
        func.count(_p.video_id.distinct()).label("videos"),
    )
    .where(_p.youtuber_id == _number)
    .group_by(_p.kind)
)


def _breakdown(granularity: str) -> AnySelect:
    """Select videos in all and by step; `part` is 1 in the row of all and 0 in that of a step."""
    sponsored = _v.id.in_(claimed_videos(_number, _start, _end, *_matches_filter))
    counted = (
        select(
            step_of(_v.published_on, granularity).label("step"),
            sponsored.label("sponsored"),
        )
        .where(_v.youtuber_id == _number, _v.published_on.between(_start, _end))
        .cte("seen")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    return select(
        func.grouping(counted.c.step).label("part"),
        counted.c.step,
        func.count().label("videos"),
        func.count().filter(counted.c.sponsored).label("sponsored_videos"),
    ).group_by(func.grouping_sets(literal_column("()"), counted.c.step))


_BREAKDOWNS: Final = {name: _breakdown(name) for name in GRANULARITIES}
_SPONSORS: Final = (
    select(
        # Of the two, the column that a row is by has its bit clear.
        func.grouping(_p.sponsor_category, _p.kind).label("part"),
        _p.sponsor_category,
        _p.kind,
        func.count().label("sponsorships"),
        func.count(_p.video_id.distinct()).label("videos"),
        func.count(_p.sponsor_id.distinct()).label("sponsors"),
    )
    .where(_p.youtuber_id == _number, _p.published_on.between(_start, _end), *_matches_filter)
    .group_by(func.grouping_sets(literal_column("()"), _p.sponsor_category, _p.kind))
)
_BY_CATEGORY: Final = 0b01
_BY_KIND: Final = 0b10
_IN_ALL: Final = 0b11


async def card(connection: QueryConnection, number: int) -> YoutuberCard:
    return youtuber_card((await connection.execute(_CARD, {"number": number})).one())


async def kinds_of(connection: QueryConnection, number: int) -> PartCounts:
    rows = (await connection.execute(_KINDS, {"number": number})).all()
    return PartCounts(
        {row.kind: row.sponsorships for row in rows}, {row.kind: row.videos for row in rows}
    )


async def read_coverage(
    connection: QueryConnection, number: int, period: RequestedPeriod | None = None
) -> Coverage:
    found = coverage((await connection.execute(_COVERAGE, {"number": number})).one())
    if period is None or period == RequestedPeriod(None, None):
        return found
    videos_in_period = (await connection.execute(_IN_PERIOD, _bounds(number, period))).scalar_one()
    return replace(found, videos_in_period=videos_in_period)


async def videos_around(
    connection: QueryConnection, number: int, period: RequestedPeriod
) -> tuple[date | None, date | None]:
    row = (await connection.execute(_AROUND, _bounds(number, period))).one()
    return row.before, row.after


def _bounds(number: int, period: RequestedPeriod) -> dict[str, Any]:
    return {
        "number": number,
        "start": period.start or date.min,
        "end": period.end or date.max,
    }


async def sums_of(connection: QueryConnection, query: YoutuberStatsQuery) -> YoutuberSums:
    values = {
        "number": query.youtuber,
        "start": query.period.from_date,
        "end": query.period.to_date,
        "min_confidence": query.min_confidence,
        "kinds": query.kinds,
    }
    counted = (await connection.execute(_BREAKDOWNS[query.granularity], values)).all()
    by_part = (await connection.execute(_SPONSORS, values)).all()
    (total,) = (row for row in counted if row.part)
    (sums,) = (row for row in by_part if row.part == _IN_ALL)
    return YoutuberSums(
        videos=total.videos,
        sponsored_videos=total.sponsored_videos,
        sponsorships=sums.sponsorships,
        sponsors=sums.sponsors,
        views=await view_comparison.by_year(connection, query),
        by_category=_part_counts(by_part, _BY_CATEGORY, "sponsor_category"),
        by_kind=_part_counts(by_part, _BY_KIND, "kind"),
        series=tuple(
            YoutuberSeriesPoint(row.step, row.videos, row.sponsored_videos)
            for row in counted
            if not row.part
        ),
    )


def _part_counts(rows: Sequence[AnyRow], part: int, key: str) -> PartCounts:
    chosen = [row for row in rows if row.part == part]
    return PartCounts(
        {getattr(row, key): row.sponsorships for row in chosen},
        {getattr(row, key): row.videos for row in chosen},
    )
