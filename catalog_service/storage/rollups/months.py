"""Periods as whole months, their steps, and sums over the rollups."""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    Interval,
    Text,
    bindparam,
    cast,
    func,
    literal_column,
    select,
)

from catalog_service.domain import kinds, periods
from catalog_service.domain.periods import Months, RequestedPeriod
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups.tables import category_months, category_returns
from catalog_service.storage.tables import catalog_state
from shapes.catalog.shared import Period

FIRST_MONTH: Final = bindparam("first_month", type_=Date)
LAST_MONTH: Final = bindparam("last_month", type_=Date)
SCOPE: Final = bindparam("scope", type_=Text)
_SPAN: Final = select(catalog_state.c.first_sponsored, catalog_state.c.last_sponsored)
_MONTH: Final = literal_column("interval '1 month'", Interval)


async def sponsored_span(connection: QueryConnection) -> Period | None:
    first, last = (await connection.execute(_SPAN)).one()
    return None if first is None else Period(first, last)


async def whole_months_of(connection: QueryConnection, period: RequestedPeriod) -> Months | None:
    """Return the months that make up a period, as far as there are data; None if it cuts one."""
    by_calendar = periods.whole_months(period)
    return by_calendar or periods.whole_months(period, await sponsored_span(connection))


async def part_with_data(connection: QueryConnection, period: RequestedPeriod) -> Period | None:
    """Return the part of a period between the first and the last sponsorship; None if there is none."""
    span = await sponsored_span(connection)
    if span is None:
        return None
    start = max(period.start or span.from_date, span.from_date)
    end = min(period.end or span.to_date, span.to_date)
    return Period(start, end) if start <= end else None


def bind_values(months: Months) -> dict[str, Any]:
    return {"first_month": months.first, "last_month": months.last}


def is_within(month: ColumnElement[Any]) -> ColumnElement[bool]:
    return month.between(FIRST_MONTH, LAST_MONTH)


def months_with_sponsorships() -> AnySelect:
    """Select the months that have sponsorships."""
    first = step_of(catalog_state.c.first_sponsored, "month")
    last = step_of(catalog_state.c.last_sponsored, "month")
    return select(
        cast(
            func.generate_series(
                func.greatest(FIRST_MONTH, first), func.least(LAST_MONTH, last), _MONTH
            ),
            Date,
        ).label("month")
    )


def total(value: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(value), 0), BigInteger)


def step_of(day: ColumnElement[Any], granularity: str) -> ColumnElement[Any]:
    """Return the first day of the month, quarter or year that a day is in."""
    return cast(func.date_trunc(literal_column(f"'{granularity}'"), day), Date)


def scope_totals(set_name: str) -> AnySelect:
    """Select the sums of all sponsors in `scope` by a set of kinds, and those of each kind.

    Videos and youtubers are different ones.
    """
    returns, sums = category_returns.c, category_months.c
    counted = returns.youtubers if set_name == kinds.ALL_SET else returns.paid_youtubers
    youtubers = (
        select(total(counted))
        .where(returns.category == SCOPE, is_within(returns.month), returns.since < FIRST_MONTH)
        .scalar_subquery()
    )

    def summed(name: str, of: str) -> ColumnElement[int]:
        return cast(func.coalesce(func.sum(sums[name]).filter(sums.kinds == of), 0), BigInteger)

    return select(
        summed("videos", set_name).label("videos"),
        summed("sponsorships", set_name).label("sponsorships"),
        youtubers.label("youtubers"),
        summed("views", set_name).label("views"),
        *(
            summed(name, kind).label(f"{kind}_{name}")
            for kind in kinds.ALL
            for name in ("videos", "sponsorships")
        ),
    ).where(sums.category == SCOPE, is_within(sums.month))
