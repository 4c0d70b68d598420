"""Median views of a youtuber's sponsored and other videos by calendar year.

The other videos have no sponsorship of any kind that reaches the least confidence.
"""

from typing import Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Date,
    Double,
    Integer,
    Text,
    bindparam,
    cast,
    extract,
    func,
    or_,
    select,
)

from catalog_service.domain.queries import YoutuberStatsQuery
from catalog_service.domain.video_formats import FORMATS
from catalog_service.domain.view_comparison import YearViews
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.stats.claimed_videos import claimed_videos
from catalog_service.storage.tables import sponsorships, videos

_p, _v = sponsorships.c, videos.c


def _by_year() -> AnySelect:
    number = bindparam("number", type_=BigInteger)
    start, end = bindparam("start", type_=Date), bindparam("end", type_=Date)
    is_chosen = _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text)))
    is_confident = _p.confidence >= bindparam("min_confidence", type_=Double)
    claimed = claimed_videos(number, start, end, is_confident)
    counted = (
        select(
            cast(extract("year", _v.published_on), Integer).label("year"),
            _v.views,
            _v.format,
            _v.id.in_(claimed.where(is_chosen)).label("sponsored"),
            _v.id.not_in(claimed).label("other"),
        )
        .where(
            _v.youtuber_id == number,
            _v.published_on.between(start, end),
            _v.views.is_not(None),
        )
        .cte("counted")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    seen, median = counted.c, func.percentile_cont(0.5).within_group(counted.c.views)
    return select(
        seen.year,
        func.count().filter(seen.sponsored).label("sponsored_videos"),
        func.count().filter(seen.other).label("other_videos"),
        median.filter(seen.sponsored).label("sponsored_median"),
        median.filter(seen.other).label("other_median"),
        *(
            func.count()
            .filter(seen.format == name, or_(seen.sponsored, seen.other))
            .label(f"format_{name}")
            for name in FORMATS
        ),
    ).group_by(seen.year)


_BY_YEAR: Final = _by_year()


async def by_year(connection: QueryConnection, query: YoutuberStatsQuery) -> tuple[YearViews, ...]:
    values = {
        "number": query.youtuber,
        "start": query.period.from_date,
        "end": query.period.to_date,
        "min_confidence": query.min_confidence,
        "kinds": query.kinds,
    }
    return tuple(
        YearViews(
            row.year,
            row.sponsored_videos,
            row.other_videos,
            row.sponsored_median,
            row.other_median,
            {name: getattr(row, f"format_{name}") for name in FORMATS},
        )
        for row in await connection.execute(_BY_YEAR, values)
    )
