"""Requests that the server refuses by itself leave a line a minute at most, with how many there were."""

from http import HTTPStatus

from structlog.testing import capture_logs

from servicekit.http.refusal_log import EVERY_SECONDS, RefusalLog


def test_refusals_within_a_minute_are_counted_in_the_next_line() -> None:
    counted: list[HTTPStatus] = []
    now = 1000.0
    refusals = RefusalLog(counted.append, lambda: now)
    with capture_logs() as lines:
        for second in (0.0, 1.0, EVERY_SECONDS - 0.1, EVERY_SECONDS):
            now = 1000.0 + second
            refusals.add(HTTPStatus.BAD_REQUEST, f"192.0.2.{int(second)}")
    assert len(counted) == 4
    assert [(line["peer"], line["refused"]) for line in lines] == [
        ("192.0.2.0", 1),
        ("192.0.2.60", 3),
    ]
