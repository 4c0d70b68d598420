"""Medians of years become one comparison."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.video_formats import FORMATS
from catalog_service.domain.view_comparison import YearViews, compare

years = st.builds(
    YearViews,
    st.integers(2009, 2024),
    st.integers(3, 500),
    st.integers(3, 500),
    st.floats(1, 1e8),
    st.floats(1, 1e8),
    st.dictionaries(st.sampled_from(FORMATS), st.integers(1, 9)),
)


@given(st.lists(years, min_size=1, max_size=12, unique_by=lambda year: year.year))
def test_the_ratio_lies_between_those_of_the_years(compared: list[YearViews]) -> None:
    ratios = [(year.sponsored_median or 0) / (year.other_median or 1) for year in compared]
    views = compare(compared)
    assert views.ratio is not None
    assert min(ratios) * 0.999999 <= views.ratio <= max(ratios) * 1.000001
    assert list(views.years) == sorted(year.year for year in compared)
    formats = {name for year in compared for name in year.formats}
    assert {item.format for item in views.formats} == formats
    counts = [item.videos for item in views.formats]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == sum(sum(year.formats.values()) for year in compared)


@pytest.mark.parametrize(
    "year",
    [
        YearViews(2020, 2, 50, 10.0, 10.0),
        YearViews(2020, 50, 2, 10.0, 10.0),
        YearViews(2020, 50, 50, 0.0, 10.0),
        YearViews(2020, 0, 50, None, 10.0),
    ],
)
def test_a_year_with_too_little_of_either_is_not_compared(year: YearViews) -> None:
    views = compare([year])
    assert (views.sponsored_median, views.other_median, views.ratio) == (None, None, None)
    assert (views.sponsored_videos, views.other_videos, views.years) == (0, 0, ())
    assert views.reason
