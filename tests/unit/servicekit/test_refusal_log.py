"""Requests that the server refuses by itself leave a line a minute at most, with how many there were."""

from collections.abc import Callable
from http import HTTPStatus

from structlog.testing import capture_logs

from servicekit.http.refusal_log import RefusalLog


def test_refusals_within_a_minute_are_in_one_line_when_it_has_ended() -> None:
    counted: list[HTTPStatus] = []
    ends: list[Callable[[], None]] = []
    refusals = RefusalLog(counted.append, lambda _seconds, end: ends.append(end))
    with capture_logs() as lines:
        for number in range(4):
            refusals.add(HTTPStatus.BAD_REQUEST, f"192.0.2.{number}")
        ends.pop()()  # with those of the first minute
        ends.pop()()  # with none
        refusals.add(HTTPStatus.REQUEST_TIMEOUT, "192.0.2.9")
    assert len(counted) == 5
    assert [(line["peer"], line["status"], line["refused"]) for line in lines] == [
        ("192.0.2.0", 400, 1),
        ("192.0.2.3", 400, 3),
        ("192.0.2.9", 408, 1),
    ]
