"""Days that a text names in another form than YYYY-MM-DD, for callers that send a month, a time or a word where a day is wanted."""

import calendar
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

_LONGEST: Final = 40
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_MONTHS: Final[Mapping[str, int]] = {
    name[:length].casefold(): month
    for month, name in enumerate(calendar.month_name)
    for length in (3, len(name))
    if month
}
_DAYS_AGO: Final[Mapping[str, int]] = {"today": 0, "now": 0, "yesterday": 1}
_TIME: Final = re.compile(r"[12]\d{3}(-?)\d{2}\1\d{2}([T ].*)?", re.ASCII)
_WORD: Final = r"(?P<word>[a-z]{3,9})"
_YEAR: Final = r"(?P<year>[12]\d{3})"
_MONTH: Final = r"(?P<month>\d{1,2})"
_DAY: Final = r"(?P<day>\d{1,2})"
_QUARTER: Final = r"q(?P<quarter>[1-4])"


@dataclass(frozen=True, slots=True)
class NamedDays:
    """The days that a text names, both included; `unit` is day, month, quarter or year."""

    first: date
    last: date
    unit: str


def days_of(text: str, today: Callable[[], date]) -> NamedDays | None:
    """Return the days that a text names in English or by ISO 8601; None if it names none or may name several."""
    words = _ORDINAL.sub("", " ".join(text[:_LONGEST].casefold().replace(",", " ").split()))
    if words in _DAYS_AGO:
        return _one_day(today() - timedelta(days=_DAYS_AGO[words]))
    for pattern in _FORMS:
        found = pattern.fullmatch(words)
        if found is not None:
            return _named(found.groupdict())
    return _of_time(text.strip()[:_LONGEST])


def _today() -> date:
    return datetime.now(UTC).date()


def advice_on(text: str, today: Callable[[], date] = _today) -> str | None:
    """Return the days that a text names as a clause, such as "2023-01-01 is the first of that year, 2023-12-31 the last"."""
    days = days_of(text, today)
    if days is None:
        return None
    if days.unit == "day":
        return f"{days.first} is that day"
    return f"{days.first} is the first of that {days.unit}, {days.last} the last"


_FORMS: Final = tuple(
    re.compile(form, re.ASCII)
    for form in (
        _YEAR,
        rf"{_YEAR}[-/. ]?{_QUARTER}",
        rf"{_QUARTER}[-/. ]?{_YEAR}",
        rf"{_YEAR}[-/.]{_MONTH}",
        rf"{_MONTH}[-/.]{_YEAR}",
        rf"{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}",
        rf"{_WORD}\.?[- ]{_YEAR}",
        rf"{_YEAR}[- ]{_WORD}",
        rf"{_WORD}\.? {_DAY} {_YEAR}",
        rf"{_DAY}\.?[- ]{_WORD}\.?[- ]{_YEAR}",
    )
)


def _named(parts: Mapping[str, str | None]) -> NamedDays | None:
    """Return the days of a year, or of the quarter, month or day of it that there is a part of."""
    year, quarter = int(parts["year"] or 0), parts.get("quarter")
    if quarter is not None:
        return _months(year, 3 * int(quarter) - 2, 3, "quarter")
    word, number = parts.get("word"), parts.get("month")
    if word is None and number is None:
        return _months(year, 1, 12, "year")
    month = _MONTHS.get(word, 0) if word else int(number or 0)
    if month not in range(1, 13):
        return None
    if (day := parts.get("day")) is None:
        return _months(year, month, 1, "month")
    last = calendar.monthrange(year, month)[1]
    return _one_day(date(year, month, int(day))) if 1 <= int(day) <= last else None


def _of_time(text: str) -> NamedDays | None:
    """Return the day of a time by ISO 8601, as it is written, whatever the zone."""
    if not _TIME.fullmatch(text):
        return None
    try:
        return _one_day(datetime.fromisoformat(text).date())
    except ValueError:
        return None


def _months(year: int, month: int, count: int, unit: str) -> NamedDays:
    last = month + count - 1
    return NamedDays(
        date(year, month, 1), date(year, last, calendar.monthrange(year, last)[1]), unit
    )


def _one_day(day: date) -> NamedDays:
    return NamedDays(day, day, "day")
