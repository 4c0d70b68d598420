"""When a delivery is tried again, when it is given up, and when digests are due."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_DIGEST_HOUR: Final = 7
"""Of the day in UTC at which daily and weekly digests are due; weekly ones on Mondays."""

DEFAULT_PAUSES: Final = (
    5.0,
    300.0,
    1_800.0,
    7_200.0,
    18_000.0,
    36_000.0,
    50_400.0,
    72_000.0,
    86_400.0,
)
"""Seconds after each failed attempt: the schedule that Standard Webhooks recommends, over three days."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Pauses between attempts, and the end of them.

    Attributes:
        pauses: Seconds after each failed attempt; after one more the delivery is dead.
        lease: How long no other process tries what one has claimed; longer than an attempt takes.
        disable_after: A channel that fails for so long is disabled.
    """

    pauses: tuple[float, ...] = DEFAULT_PAUSES
    lease: timedelta = timedelta(seconds=60)
    disable_after: timedelta = timedelta(days=5)

    def pause_after(self, attempts: int) -> timedelta | None:
        """Return the pause after so many failed attempts; None if there is no further one."""
        if attempts > len(self.pauses):
            return None
        return timedelta(seconds=self.pauses[attempts - 1])

    def is_given_up(self, failing_since: datetime, now: datetime) -> bool:
        """Return whether a channel that fails since then is to be disabled."""
        return now - failing_since >= self.disable_after


def digest_due(digest: str, now: datetime) -> datetime:
    """Return when a mail with what happens at `now` is due."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    if digest == "hourly":
        return hour + _HOUR
    if digest in ("daily", "weekly"):
        due = hour.replace(hour=_DIGEST_HOUR)
        while due <= now or (digest == "weekly" and due.weekday() != 0):
            due += _DAY
        return due
    return now
