"""Periods of few days, and sums over the rollups by day; those of `months` are of whole months."""

from datetime import timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Date, FromClause, bindparam, select

from catalog_service.domain import kinds
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups import months
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.tables import (
    MAX_DAYS,
    category_day_returns,
    category_days,
    sponsor_day_returns,
    sponsor_days,
)
from shapes.catalog.shared import Period

START: Final = bindparam("start", type_=Date)
END: Final = bindparam("end", type_=Date)
_days, _returns = sponsor_days.c, sponsor_day_returns.c


async def days_if_few(connection: QueryConnection, period: RequestedPeriod) -> Period | None:
    """Return the part of a period that has data; None if there is none, or it has more than `MAX_DAYS` days."""
    part = await months.part_with_data(connection, period)
    if part is None or part.to_date - part.from_date >= timedelta(MAX_DAYS):
        return None
    return part


def bind_values(period: Period) -> dict[str, Any]:
    """Return the parameters of a period, and of the months that it is in."""
    return {
        "start": period.from_date,
        "end": period.to_date,
        months.FIRST_MONTH.key: period.from_date.replace(day=1),
        months.LAST_MONTH.key: period.to_date.replace(day=1),
    }


def _within(day: ColumnElement[Any]) -> ColumnElement[bool]:
    return day.between(START, END)


def _seen_before(returns: Any) -> tuple[ColumnElement[bool], ...]:
    """Return the condition that youtubers were counted on an earlier day of the period already."""
    # The third implies the second, which the index needs.
    return (
        _within(returns.day),
        returns.gap <= END - START,
        returns.gap <= returns.day - START,
    )


def sums_of_sponsor(sponsor: ColumnElement[int]) -> FromClause:
    """Select videos, views and free products of a sponsor."""
    return (
        select(
            total(_days.videos).label("videos"),
            total(_days.views).label("views"),
            total(_days.free_products).label("free_products"),
        )
        .where(_days.sponsor_id == sponsor, _within(_days.day))
        .lateral("sums")
    )


def youtubers_of_sponsor(sponsor: ColumnElement[int]) -> FromClause:
    """Count the different youtubers of a sponsor's paid work."""
    of_days = select(total(_days.youtubers)).where(_days.sponsor_id == sponsor, _within(_days.day))
    again = select(total(_returns.youtubers)).where(
        _returns.sponsor_id == sponsor, *_seen_before(_returns)
    )
    youtubers = (
        of_days.correlate_except(sponsor_days).scalar_subquery()
        - again.correlate_except(sponsor_day_returns).scalar_subquery()
    )
    return select(youtubers.label("youtubers")).lateral("reached")


def scope_totals() -> AnySelect:
    """Select what `months.scope_totals` does of paid work."""
    sums, returns = category_days.c, category_day_returns.c
    again = (
        select(total(returns.youtubers))
        .where(returns.category == months.SCOPE, *_seen_before(returns))
        .scalar_subquery()
    )
    paid = [sums[f"{kind}_sponsorships"] for kind in kinds.PAID]
    return select(
        total(sums.videos).label("videos"),
        total(sum(paid[1:], start=paid[0])).label("sponsorships"),
        (total(sums.youtubers) - again).label("youtubers"),
        total(sums.views).label("views"),
        *(
            total(sums[f"{kind}_{name}"]).label(f"{kind}_{name}")
            for kind in kinds.ALL
            for name in ("videos", "sponsorships")
        ),
    ).where(sums.category == months.SCOPE, _within(sums.day))
