"""The steps of a series: as long as the period needs, so that an answer fits a context."""

from collections.abc import Collection
from datetime import date
from typing import Final

from catalog_service.domain import arguments, periods
from shapes.catalog.shared import Period

AUTO: Final = "auto"
MAX_POINTS: Final = 40
"""The most points of a series whose steps are chosen here."""


def argument(value: str) -> str:
    return arguments.choice("granularity", value, (AUTO, *periods.GRANULARITIES), AUTO)


def chosen(value: str, period: Period, data: Period | None) -> str:
    """Return the granularity of a series: the one asked for, or the finest with few enough points.

    `data` is the days that the series has data of, None if there are none.

    Raises:
        BadArgument: The granularity asked for has more than `periods.MAX_STEPS` steps.
    """
    if value != AUTO:
        periods.steps(period, value)
        return value
    shown = data and _overlap(period, data)
    fitting = (
        name for name in periods.GRANULARITIES if shown is None or _count(shown, name) <= MAX_POINTS
    )
    return next(fitting, "year")


def steps(filled: Collection[date], granularity: str) -> tuple[date, ...]:
    """Return all steps from the first filled one to the last."""
    if not filled:
        return ()
    return periods.steps(Period(min(filled), max(filled)), granularity)


def _overlap(period: Period, data: Period) -> Period | None:
    start = max(period.from_date, data.from_date)
    end = min(period.to_date, data.to_date)
    return Period(start, end) if start <= end else None


def _count(period: Period, granularity: str) -> int:
    first, last = (
        periods.step_start(day, granularity) for day in (period.from_date, period.to_date)
    )
    months = (last.year - first.year) * 12 + last.month - first.month
    return months // periods.GRANULARITIES[granularity] + 1
