"""A sponsor's latest days are those of all relations, read from all of them only where that is needed."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from catalog_service.storage.rollups.sponsor_days import Days, merge

DAYS = st.none() | st.dates(date(2024, 1, 1), date(2024, 1, 6))
RELATIONS = st.lists(st.tuples(DAYS, DAYS, DAYS), max_size=4)


def latest(relations: list[Days]) -> Days:
    first, second, third = (
        max((days[n] or date.min for days in relations), default=date.min) for n in range(3)
    )
    return tuple(None if day == date.min else day for day in (first, second, third))  # type: ignore[return-value]


@given(others=RELATIONS, before=RELATIONS, after=RELATIONS)
def test_days_are_merged_exactly_or_read_from_all_relations(
    others: list[Days], before: list[Days], after: list[Days]
) -> None:
    merged = merge(latest([*others, *before]), latest(before), latest(after))
    assert merged in (None, latest([*others, *after]))


@given(others=RELATIONS, before=RELATIONS)
def test_what_only_grows_is_merged_without_reading_all_relations(
    others: list[Days], before: list[Days]
) -> None:
    after = [tuple(day and date(2024, 1, 7) for day in days) for days in before]
    assert merge(latest([*others, *before]), latest(before), latest(after)) is not None  # type: ignore[arg-type]
