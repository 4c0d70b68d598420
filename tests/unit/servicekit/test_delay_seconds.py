"""`Retry-After` never sends a caller back too early."""

import pytest

from servicekit.http.delay_seconds import delay_seconds


@pytest.mark.parametrize(
    ("wait", "seconds"), [(0.0, 1), (0.2, 1), (1.0, 1), (1.2, 2), (2.5, 3), (60.0, 60)]
)
def test_the_whole_seconds_of_a_wait_do_not_end_before_it(wait: float, seconds: int) -> None:
    assert delay_seconds(wait) == seconds
