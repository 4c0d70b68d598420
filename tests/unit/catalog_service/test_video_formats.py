"""The format of a video, by its length, its broadcast and its day."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.video_formats import BROADCASTS, FORMATS, format_of

BEFORE, SINCE = date(2024, 10, 14), date(2024, 10, 15)


@pytest.mark.parametrize(
    ("seconds", "broadcast", "day", "format_"),
    [
        (60, "none", BEFORE, "short"),
        (61, "none", BEFORE, "longform"),
        (180, "none", SINCE, "short"),
        (181, "none", SINCE, "longform"),
        (7_200, "none", SINCE, "longform"),
        (30, "ended", SINCE, "live"),
        (7_200, "ended", BEFORE, "live"),
        (None, "upcoming", SINCE, "live"),
        (None, "live", SINCE, "live"),
        (None, "none", SINCE, "unknown"),
        (0, "none", SINCE, "unknown"),
        (None, None, SINCE, "unknown"),
        # Too short for a broadcast to be likely; of a longer one nobody said whether it was one.
        (60, None, BEFORE, "short"),
        (61, None, BEFORE, "unknown"),
        (7_200, None, SINCE, "unknown"),
    ],
)
def test_the_format_follows_from_length_broadcast_and_day(
    seconds: int | None, broadcast: str | None, day: date, format_: str
) -> None:
    assert format_of(seconds, broadcast, day) == format_


@given(
    st.none() | st.integers(-1, 10**6),
    st.none() | st.sampled_from(sorted(BROADCASTS)),
    st.dates(date(2005, 1, 1)),
)
def test_every_video_has_one_of_four_formats(
    seconds: int | None, broadcast: str | None, day: date
) -> None:
    assert format_of(seconds, broadcast, day) in FORMATS
