"""Paid work of a youtuber and of a sponsor: bookings by relation, gaps between them, videos by format and by month.

A booking is a day of paid work of a sponsor with a youtuber. Each statement reads a covering index of `sponsorships`, but for
videos by format, which reads the videos of a year.
"""

from typing import Any, Final, Literal

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    Date,
    Text,
    bindparam,
    cast,
    func,
    literal,
    select,
)

from catalog_service.domain.bookings import Relation
from catalog_service.domain.fulfilment import FormatCount
from catalog_service.domain.kinds import PAID
from catalog_service.domain.track_records import SponsorHistory, YoutuberHistory
from catalog_service.storage.columns import AnyRow, AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.stats.claimed_videos import claimed_videos
from catalog_service.storage.tables import sponsorships, videos, youtubers
from shapes.catalog.shared import Period

Side = Literal["sponsor_id", "youtuber_id"]
_OTHER: Final[dict[Side, Side]] = {"sponsor_id": "youtuber_id", "youtuber_id": "sponsor_id"}
_p, _v, _y = sponsorships.c, videos.c, youtubers.c
_number: Final = bindparam("number", type_=BigInteger)
_start: Final = bindparam("start", type_=Date)
_end: Final = bindparam("end", type_=Date)
_is_paid: Final = _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text)))


def _days(side: Side) -> CTE:
    """Select each day on which one side had paid work with another of the other side, once."""
    other = _p[_OTHER[side]]
    return (
        select(other, _p.published_on).where(_p[side] == _number, _is_paid).distinct().cte("days")
    )


def _gaps(side: Side) -> AnySelect:
    """Select numbers of gaps by their days."""
    days = _days(side)
    before = func.lag(days.c.published_on).over(
        partition_by=days.c[_OTHER[side]], order_by=days.c.published_on
    )
    gaps = select((days.c.published_on - before).label("days")).subquery("gaps")
    counted = select(gaps.c.days, func.count().label("gaps")).group_by(gaps.c.days)
    return counted.where(gaps.c.days.is_not(None))


def _of_youtuber() -> AnySelect:
    days = _days("youtuber_id")
    in_window = func.count().filter(days.c.published_on.between(_start, _end))
    return select(
        func.count().label("bookings"),
        func.max(days.c.published_on).label("last"),
        in_window.label("in_window"),
    ).group_by(days.c.sponsor_id)


def _of_sponsor() -> AnySelect:
    days = _days("sponsor_id")
    relations = (
        select(
            days.c.youtuber_id,
            func.count().label("bookings"),
            func.max(days.c.published_on).label("last"),
        )
        .group_by(days.c.youtuber_id)
        .subquery("relations")
    )
    return select(
        relations.c.bookings,
        relations.c.last,
        literal(0).label("in_window"),
        _y.last_video,
        _y.latest_videos_since,
        _y.subscribers,
    ).join_from(relations, youtubers, _y.id == relations.c.youtuber_id)


_RELATIONS_OF_YOUTUBER: Final = _of_youtuber()
_RELATIONS_OF_SPONSOR: Final = _of_sponsor()
_GAPS_OF_YOUTUBER: Final = _gaps("youtuber_id")
_GAPS_OF_SPONSOR: Final = _gaps("sponsor_id")
_CHANNEL: Final = select(_y.last_video, _y.latest_videos_since).where(_y.id == _number)
_paid_videos: Final = claimed_videos(_number, _start, _end, _is_paid)
_FORMATS: Final = (
    select(
        _v.format,
        func.count().label("videos"),
        func.count().filter(_v.id.in_(_paid_videos)).label("sponsored"),
    )
    .where(_v.youtuber_id == _number, _v.published_on.between(_start, _end))
    .group_by(_v.format)
)
_month: Final = cast(func.date_trunc("month", _p.published_on), Date)
# A video has one sponsorship of a sponsor, so that its sponsorships are different videos.
_MONTHS: Final = (
    select(_month.label("month"), func.count().label("videos"))
    .where(_p.sponsor_id == _number, _is_paid)
    .group_by(_month)
)


async def of_youtuber(
    connection: QueryConnection, number: int, year: Period | None, two_years: Period | None
) -> YoutuberHistory:
    if year is None or two_years is None:
        return YoutuberHistory((), {}, {})
    of_channel = {"number": number}
    paid = {**of_channel, "kinds": PAID}
    channel = (await connection.execute(_CHANNEL, of_channel)).one()
    rows = await connection.execute(_RELATIONS_OF_YOUTUBER, paid | _bounds(two_years))
    formats = await connection.execute(_FORMATS, paid | _bounds(year))
    return YoutuberHistory(
        relations=[_relation(row, channel) for row in rows],
        gaps={row.days: row.gaps for row in await connection.execute(_GAPS_OF_YOUTUBER, paid)},
        by_format={row.format: FormatCount(row.videos, row.sponsored) for row in formats},
    )


async def of_sponsor(connection: QueryConnection, number: int) -> SponsorHistory:
    paid = {"number": number, "kinds": PAID}
    rows = (await connection.execute(_RELATIONS_OF_SPONSOR, paid)).all()
    months = await connection.execute(_MONTHS, paid)
    return SponsorHistory(
        relations=[_relation(row, row) for row in rows],
        subscribers=[row.subscribers for row in rows],
        gaps={row.days: row.gaps for row in await connection.execute(_GAPS_OF_SPONSOR, paid)},
        months={row.month: row.videos for row in months},
    )


def _relation(row: AnyRow, channel: AnyRow) -> Relation:
    return Relation(
        bookings=row.bookings,
        last=row.last,
        channel_until=channel.last_video,
        channel_latest_since=channel.latest_videos_since,
        in_window=row.in_window,
    )


def _bounds(period: Period) -> dict[str, Any]:
    return {"start": period.from_date, "end": period.to_date}
