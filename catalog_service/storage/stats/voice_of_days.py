"""The share of voice in paid work over days that cut a month in two, from sums by month and by day; equal to that of `by_day`.

A rank needs those alone who have more than the sponsor. Each of them has, in one of the months that the period touches, more
than the sponsor's sum divided by the number of these months: the ranked lists of the months begin with them.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Date,
    Integer,
    Text,
    bindparam,
    column,
    func,
    literal_column,
    select,
    true,
)

from catalog_service.domain import categories, kinds, periods
from catalog_service.domain.periods import Months, RequestedPeriod
from catalog_service.domain.queries import SponsorStatsQuery
from catalog_service.storage.columns import AnyRow, AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups import months
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.tables import (
    category_days,
    category_months,
    sponsor_days,
    sponsor_months,
)
from catalog_service.storage.tables import sponsors
from shapes.catalog.shared import Period

_MAX_COMPARED: Final = 500
"""The most sponsors whose sums are compared."""

_SPONSORSHIPS_A_SUM: Final = 30
"""As many sponsorships are read in the time that a sum of a sponsor takes."""

_DAY: Final = timedelta(days=1)
_number: Final = bindparam("number", type_=BigInteger)
_category: Final = bindparam("category", type_=Text)
_months, _days = sponsor_months.c, sponsor_days.c
_touched: Final = bindparam("touched_months", type_=ARRAY(Date))
_SIDES: Final = ("before", "after")


def _within(day: ColumnElement[Any], side: str) -> ColumnElement[bool]:
    return day.between(bindparam(f"{side}_start", type_=Date), bindparam(f"{side}_end", type_=Date))


def _sum_of(sponsor: ColumnElement[int]) -> ColumnElement[int]:
    """Return a sponsor's paid work of the period."""
    of_months = select(total(_months.paid_videos)).where(
        _months.sponsor_id == sponsor, months.is_within(_months.month)
    )
    of_days = (
        select(total(_days.videos)).where(_days.sponsor_id == sponsor, _within(_days.day, side))
        for side in _SIDES
    )
    return sum(
        (part.correlate_except(sponsor_days).scalar_subquery() for part in of_days),
        start=of_months.correlate_except(sponsor_months).scalar_subquery(),
    )


def _sum_of_category(of_month: str, of_day: ColumnElement[int]) -> ColumnElement[int]:
    monthly, daily = category_months.c, category_days.c
    of_months = select(total(monthly[of_month])).where(
        monthly.category == _category,
        monthly.kinds == kinds.PAID_SET,
        months.is_within(monthly.month),
    )
    of_days = (
        select(total(of_day)).where(daily.category == _category, _within(daily.day, side))
        for side in _SIDES
    )
    return sum(
        (part.scalar_subquery() for part in of_days),
        start=of_months.scalar_subquery(),
    )


def _voice() -> AnySelect:
    of_sponsor = select(_sum_of(sponsors.c.id)).where(
        sponsors.c.id == _number, sponsors.c.category == _category
    )
    own = select(
        func.coalesce(of_sponsor.scalar_subquery(), 0, type_=BigInteger).label("videos")
    ).cte("own")
    month = func.unnest(_touched).table_valued(column("month", Date)).render_derived("touched")
    listed = (
        select(_months.sponsor_id)
        .where(
            _months.sponsor_category == _category,
            _months.month == month.c.month,
            _months.paid_videos > own.c.videos / func.cardinality(_touched, type_=Integer),
            own.c.videos > 0,
        )
        .order_by(_months.paid_videos.desc(), _months.sponsor_id)
        .limit(literal_column(str(_MAX_COMPARED + 1)))
        .lateral("listed")
    )
    others = (
        select(listed.c.sponsor_id)
        .distinct()
        .select_from(own.join(month, true()).join(listed, true()))
        .cte("others")
    )
    daily = category_days.c
    paid = [daily[f"{kind}_sponsorships"] for kind in kinds.PAID]
    every = select(
        _sum_of_category("sponsorships", sum(paid[1:], start=paid[0])).label("sponsorships"),
        _sum_of_category("videos", daily.videos).label("videos"),
    ).cte("every")
    count = select(func.count()).select_from(others).scalar_subquery()
    max_compared = func.least(
        literal_column(str(_MAX_COMPARED), BigInteger),
        select(every.c.sponsorships).scalar_subquery()
        / literal_column(str(_SPONSORSHIPS_A_SUM), BigInteger),
    )
    sums = (
        select(_sum_of(others.c.sponsor_id).label("videos"))
        .select_from(others)
        .where(count <= max_compared)
        .subquery("sums")
    )
    ahead = (
        select(func.count())
        .select_from(sums)
        .where(sums.c.videos > select(own.c.videos).scalar_subquery())
        .scalar_subquery()
    )
    return select(
        every.c.sponsorships.label("category_sponsorships"),
        every.c.videos.label("category_videos"),
        own.c.videos,
        (ahead + 1).label("rank"),
        (count <= max_compared).label("is_ranked"),
    ).join_from(every, own, true())


_VOICE: Final = _voice()


async def voice(connection: QueryConnection, query: SponsorStatsQuery) -> AnyRow | None:
    """Return the row of `by_day.VOICE`; None where these sums do not tell, or not faster."""
    category = query.category
    is_stored = query.voice_kinds == kinds.PAID and not query.min_confidence
    if category is None or not is_stored or len(categories.members(category)) > 1:
        return None
    requested = RequestedPeriod(query.period.from_date, query.period.to_date)
    period = await months.part_with_data(connection, requested)
    if period is None:
        return None
    values = {"number": query.sponsor, "category": category, **_values(period)}
    row = (await connection.execute(_VOICE, values)).one()
    return row if row.is_ranked else None


def _values(period: Period) -> dict[str, Any]:
    """Return the whole months of a period, the days before and after them, and all months that it touches."""
    start, end = period.from_date, period.to_date
    whole_months = _whole(period)
    # Without a whole month all days are those before.
    before_end, after_start = end, end + _DAY
    if whole_months.first <= whole_months.last:
        before_end, after_start = whole_months.first - _DAY, periods.next_month(whole_months.last)
    return {
        **months.bind_values(whole_months),
        "before_start": start,
        "before_end": before_end,
        "after_start": after_start,
        "after_end": end,
        "touched_months": list(_touched_months(period)),
    }


def _whole(period: Period) -> Months:
    """Return the first and the last whole month of a period; the last is before the first where there is none."""
    first = period.from_date.replace(day=1)
    following = periods.next_month(period.to_date.replace(day=1))
    last = period.to_date.replace(day=1)
    return Months(
        first if first == period.from_date else periods.next_month(first),
        last if period.to_date + _DAY == following else (last - _DAY).replace(day=1),
    )


def _touched_months(period: Period) -> Iterator[date]:
    month = period.from_date.replace(day=1)
    while month <= period.to_date:
        yield month
        month = periods.next_month(month)
