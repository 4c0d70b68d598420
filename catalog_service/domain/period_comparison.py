"""The days that two periods must have data of to be compared."""

from datetime import timedelta
from typing import Final

from catalog_service.domain.periods import RequestedPeriod
from shapes.catalog.shared import Period

MIN_COVERED: Final = 0.9
"""The share of a period's days that must lie in the data for its sums to be compared."""


def reason_against(
    period: Period, previous: Period, span: Period, requested: RequestedPeriod | None = None
) -> str | None:
    """Return why the two periods are not compared; None if they are.

    Args:
        period: The period.
        previous: As many days before it.
        span: The days from the oldest to the newest video that was looked at.
        requested: The period as it was requested, where one without a first day is all there is until its last.
    """
    if requested is not None and requested.start is None:
        whole = "All time" if requested.end is None else f"All time until {requested.end}"
        return f"{whole} has no period before it."
    if previous.from_date < span.from_date:
        return (
            f"The period before begins on {previous.from_date}, and the data on {span.from_date}."
        )
    if _covered(period, span) < MIN_COVERED:
        return f"This period ends on {period.to_date}, and the data already on {span.to_date}."
    return None


def _covered(period: Period, span: Period) -> float:
    end = min(period.to_date, span.to_date)
    days = (period.to_date - period.from_date) + timedelta(days=1)
    return ((end - period.from_date) + timedelta(days=1)) / days
