"""When deliveries are tried again, and when digests are due."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth_service.domain.alerts.model import DIGESTS
from auth_service.domain.alerts.schedule import RetryPolicy, digest_due

MOMENTS = st.datetimes(
    min_value=datetime(2024, 1, 1),  # noqa: DTZ001 - given its zone below
    max_value=datetime(2040, 1, 1),  # noqa: DTZ001 - as above
    timezones=st.just(UTC),
)
LENGTHS = {"hourly": timedelta(hours=1), "daily": timedelta(days=1), "weekly": timedelta(days=7)}


def test_attempts_go_on_for_three_days_with_growing_pauses() -> None:
    policy = RetryPolicy()
    pauses = [policy.pause_after(attempts) for attempts in range(1, len(policy.pauses) + 1)]
    given_pauses = [pause for pause in pauses if pause is not None]
    assert given_pauses == sorted(given_pauses)
    assert timedelta(days=3) <= sum(given_pauses, timedelta()) < timedelta(days=4)
    assert policy.pause_after(len(policy.pauses) + 1) is None


def test_a_channel_is_given_up_after_days_of_failure_and_not_before() -> None:
    policy, since = RetryPolicy(), datetime(2026, 1, 1, tzinfo=UTC)
    assert policy.is_given_up(since, since + policy.disable_after)
    assert not policy.is_given_up(since, since + policy.disable_after - timedelta(seconds=1))


@given(now=MOMENTS, digest=st.sampled_from(DIGESTS))
def test_a_digest_is_due_once_in_its_time_and_never_in_the_past(now: datetime, digest: str) -> None:
    due = digest_due(digest, now)
    if digest == "at_once":
        assert due == now
        return
    assert now < due <= now + LENGTHS[digest]
    # What happens until then goes into the same mail.
    assert digest_due(digest, due - timedelta(microseconds=1)) == due
    assert digest_due(digest, due) == due + LENGTHS[digest]


@pytest.mark.parametrize(("digest", "weekday"), [("weekly", 0), ("daily", 3)])
def test_daily_and_weekly_digests_are_due_in_the_morning(digest: str, weekday: int) -> None:
    due = digest_due(digest, datetime(2026, 11, 25, 15, 30, tzinfo=UTC))
    assert (due.hour, due.minute, due.weekday()) == (7, 0, weekday)
