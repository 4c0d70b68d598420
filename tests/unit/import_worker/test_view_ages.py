"""A video is read again when it reaches an age at which views are compared."""

from datetime import UTC, datetime, timedelta

import pytest

from catalog_service.domain import snapshots
from import_worker.domain.view_ages import AGES, came_of_age

BORN = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("read_after", "now_after", "expected"),
    [
        (0.5, 0.9, False),
        (0.5, 1.0, True),
        (1.0, 1.5, False),
        (7.5, 13.9, False),
        (7.5, 14.5, True),
        (6.0, 40.0, True),
        (366, 900, False),
    ],
)
def test_a_video_comes_of_age_between_two_readings(
    read_after: float, now_after: float, *, expected: bool
) -> None:
    read_at, now = (BORN + timedelta(days=days) for days in (read_after, now_after))
    assert came_of_age(BORN, read_at, now) is expected


def test_the_ages_are_those_that_the_catalogue_keeps() -> None:
    assert AGES == snapshots.AGES
