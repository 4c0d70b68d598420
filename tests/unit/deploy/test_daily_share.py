"""The shares of test modules that CI runs on different days."""

from datetime import date, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from scripts.daily_share import DAYS, share

NAMES = st.sets(st.text("abcdef_", min_size=1, max_size=6), max_size=30)


@given(NAMES, st.dates(max_value=date(9999, 12, 31 - DAYS)))
def test_some_days_in_a_row_run_each_module_once(names: set[str], day: date) -> None:
    modules = [Path(f"test_{name}.py") for name in sorted(names)]
    run = [module for number in range(DAYS) for module in share(modules, day + timedelta(number))]
    assert sorted(run) == sorted(modules)


@given(NAMES, st.dates())
def test_each_day_runs_an_equal_share_of_them(names: set[str], day: date) -> None:
    modules = [Path(f"test_{name}.py") for name in sorted(names)]
    assert abs(DAYS * len(share(modules, day)) - len(modules)) < DAYS
