"""The sums of a sponsor over a period, by step and by part, from one statement."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import BigInteger, Date, Text, cast, literal_column, null, select, union_all

from catalog_service.storage.columns import AnyRow, AnySelect
from shapes.catalog.shared import Totals
from shapes.catalog.sponsors import SeriesPoint

_TOTAL: Final = literal_column("'total'", Text)
_STEP: Final = literal_column("'step'", Text)
_NOTHING: Final = literal_column("0", BigInteger)


@dataclass(frozen=True, slots=True)
class PeriodSums:
    """Sums of a period.

    Attributes:
        totals: Of all of it.
        repeated_youtubers: Those with several videos.
        series: By step of the period.
        parts: Videos by value of "content", "country" and "kind".
    """

    totals: Totals
    repeated_youtubers: int
    series: tuple[SeriesPoint, ...]
    parts: dict[str, dict[str | None, int]]


def select_all(totals: AnySelect, series: AnySelect, breakdown: AnySelect) -> AnySelect:
    """Select the rows that `of_rows` takes.

    Args:
        totals: Selects videos, youtubers, repeated and views.
        series: Selects step, videos, youtubers and views.
        breakdown: Selects part, value and videos.
    """
    sums, step, part = (
        totals.subquery("sums"),
        series.subquery("series"),
        breakdown.subquery("breakdown"),
    )
    no_text, no_day = cast(null(), Text), cast(null(), Date)
    rows = union_all(
        select(
            _TOTAL.label("part"),
            no_text.label("value"),
            no_day.label("step"),
            sums.c.videos,
            sums.c.youtubers,
            sums.c.repeated,
            sums.c.views,
        ),
        select(
            _STEP, no_text, step.c.step, step.c.videos, step.c.youtubers, _NOTHING, step.c.views
        ),
        select(part.c.part, part.c.value, no_day, part.c.videos, _NOTHING, _NOTHING, _NOTHING),
    ).subquery("rows")
    return select(rows)


def of_rows(rows: Iterable[AnyRow]) -> PeriodSums:
    found: defaultdict[str, list[AnyRow]] = defaultdict(list)
    for row in rows:
        found[row.part].append(row)
    (total,), steps = found.pop("total"), found.pop("step", [])
    return PeriodSums(
        totals=totals_of(total),
        repeated_youtubers=total.repeated,
        series=tuple(SeriesPoint(row.step, row.videos, row.youtubers, row.views) for row in steps),
        parts={
            part: {row.value: row.videos for row in found.get(part, [])}
            for part in ("content", "country", "kind")
        },
    )


def totals_of(row: AnyRow) -> Totals:
    return Totals(row.videos, row.youtubers, row.views, row.videos)
