"""The intervals of the outlook hold as many next videos as they say, on videos that are held out in time.

docs/answers.md has the table: `WRITE_ANSWERS=1 python -m pytest -n 0 tests/unit/catalog_service/test_outlook_backtest.py`.
"""

import os

import pytest

from tests.outlook import channels, page
from tests.outlook.backtest import Score

needs_data = pytest.mark.skipif(
    channels.DATA is None, reason="the raw data are not on this machine"
)


def assert_holds(score: Score) -> None:
    assert score.videos > 500
    assert 0.7 <= score.share_80 <= 0.9
    assert 0.4 <= score.share_50 <= 0.65
    assert 0.7 <= score.reached / score.bundles <= 0.9


@pytest.mark.parametrize("name", [page.MADE, page.SAMPLE])
def test_the_intervals_hold_on_channels_that_are_always_there(name: str) -> None:
    assert_holds(page.always()[name])


@needs_data
@pytest.mark.parametrize("name", [page.STAND_IN, page.WHOLE])
def test_the_intervals_hold_on_the_channels_of_the_data(name: str) -> None:
    assert_holds(page.of_data()[name])


def test_the_page_has_the_scores_of_the_sets_that_are_always_there() -> None:
    written = page.PAGE.read_text()
    for name, score in page.always().items():
        assert page.row(name, score) in written


@needs_data
def test_the_page_has_the_table() -> None:
    before = page.PAGE.read_text().partition(page.HEADING)[0]
    expected = before + page.section()
    if os.environ.get("WRITE_ANSWERS"):
        page.PAGE.write_text(expected)
    assert page.PAGE.read_text() == expected, "WRITE_ANSWERS=1 writes it again"
