"""The halves of test modules that CI runs on two days."""

from datetime import date, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from scripts.daily_share import share

NAMES = st.sets(st.text("abcdef_", min_size=1, max_size=6), max_size=30)


@given(NAMES, st.dates(max_value=date(9999, 12, 30)))
def test_two_days_in_a_row_run_each_module_once(names: set[str], day: date) -> None:
    modules = [Path(f"test_{name}.py") for name in sorted(names)]
    both = [*share(modules, day), *share(modules, day + timedelta(days=1))]
    assert sorted(both) == sorted(modules)


@given(NAMES, st.dates())
def test_each_day_runs_half_of_them(names: set[str], day: date) -> None:
    modules = [Path(f"test_{name}.py") for name in sorted(names)]
    assert abs(2 * len(share(modules, day)) - len(modules)) <= 1
