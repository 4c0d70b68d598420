"""Periods of days and the steps of a series in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from catalog_service.domain.errors import BadArgument
from servicekit import named_days
from shapes.catalog.shared import Period

GRANULARITIES: Final = {"month": 1, "quarter": 3, "year": 12}
"""Months in a step."""

MAX_STEPS: Final = 400
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class RequestedPeriod:
    """A period as the caller gave it; None leaves that side open."""

    start: date | None
    end: date | None

    def within(self, span: Period, until: date, since: date | None = None) -> Period:
        """Return the period with open ends closed.

        Args:
            span: The days with what the period is about, which close it.
            until: What closes a period that begins behind them.
            since: What closes one that ends before them, such as the oldest day that was looked at.
        """
        start = self.start or span.from_date
        if self.start is None and self.end is not None and self.end < span.from_date:
            start = min(since or self.end, self.end)
        end = self.end or (span.to_date if start <= span.to_date else max(until, start))
        return Period(start, end)


@dataclass(frozen=True, slots=True)
class Months:
    """Whole months, given by their first days, both included."""

    first: date
    last: date


def today() -> date:
    """Return the day that it is in UTC."""
    return datetime.now(UTC).date()


def whole_months(requested: RequestedPeriod, span: Period | None = None) -> Months | None:
    """Return the months that make up a period exactly; None if it cuts one.

    An open bound cuts none, and neither does one with nothing beyond it: give `span`, the days that
    there are data of, where that may tell.
    """
    start, end = requested.start or date.min, requested.end or date.max
    begins = start.day == 1 or (span is not None and start <= span.from_date)
    ends = _is_last_of_month(end) or (span is not None and end >= span.to_date)
    return Months(start.replace(day=1), end.replace(day=1)) if begins and ends else None


def next_month(month: date) -> date:
    """Return the first day of the month after that of a first day."""
    return (month + timedelta(days=31)).replace(day=1)


def _is_last_of_month(moment: date) -> bool:
    return moment == date.max or (moment + timedelta(days=1)).day == 1


def day(field: str, text: str | None) -> date | None:
    """Return the day that an argument names; None if it is absent."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else _refuse_day(field, text)
    except ValueError:
        return _refuse_day(field, text)


def _refuse_day(field: str, text: str) -> date:
    advice = named_days.advice_on(text, today)
    hint = f": {advice}" if advice else ""
    raise BadArgument(
        field, f"`{field}` must be a day such as 2024-05-31, not {text[:30]!r}{hint}."
    )


def requested(from_date: str | None, to_date: str | None) -> RequestedPeriod:
    """Return the period that `since` and `until` name.

    Raises:
        BadArgument: One is not a day, or they are the wrong way round.
    """
    start, end = day("since", from_date), day("until", to_date)
    if start and end and start > end:
        raise BadArgument("since", f"`since` {start} is after `until` {end}: exchange them.")
    return RequestedPeriod(start, end)


def before(period: Period) -> Period:
    """Return the equally long period that ends the day before, cut off at the calendar's first day.

    Whole months are compared with as many whole months, of however many days.
    """
    end = period.from_date - timedelta(days=1) if period.from_date > date.min else date.min
    months = whole_months(RequestedPeriod(period.from_date, period.to_date))
    if months is not None:
        return Period(_months_on(months.first, -_count(months)), end)
    length = period.to_date - period.from_date
    return Period(date.min if end - date.min < length else end - length, end)


def _count(months: Months) -> int:
    return _number_of(months.last) - _number_of(months.first) + 1


def _months_on(month: date, count: int) -> date:
    """Return the month `count` later, no earlier than the calendar's first."""
    number = max(_number_of(month) + count, _number_of(date.min))
    return date(number // 12, number % 12 + 1, 1)


def _number_of(month: date) -> int:
    return month.year * 12 + month.month - 1


def step_start(moment: date, granularity: str) -> date:
    """Return the first day of the step that `moment` is in."""
    months = GRANULARITIES[granularity]
    return date(moment.year, (moment.month - 1) // months * months + 1, 1)


def steps(period: Period, granularity: str) -> tuple[date, ...]:
    """Return the first days of all steps that the period touches.

    Raises:
        BadArgument: There are more than `MAX_STEPS`.
    """
    months = GRANULARITIES[granularity]
    years = period.to_date.year - period.from_date.year + 1
    if years * 12 // months > MAX_STEPS:
        coarser = "" if granularity == "year" else " or take a coarser `granularity`"
        raise BadArgument(
            "granularity",
            f"This period has more than {MAX_STEPS} steps of a {granularity}: shorten it{coarser}.",
        )
    return tuple(_steps(period, granularity, months))


def _steps(period: Period, granularity: str, months: int) -> Iterator[date]:
    at = step_start(period.from_date, granularity)
    while at <= period.to_date:
        yield at
        following = at.year * 12 + at.month - 1 + months
        if following // 12 > date.max.year:
            return
        at = date(following // 12, following % 12 + 1, 1)
