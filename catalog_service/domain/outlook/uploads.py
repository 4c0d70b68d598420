"""How often a channel publishes."""

from dataclasses import dataclass
from datetime import date
from typing import Final

YEAR: Final = 365
RATE_DAYS: Final = 90


@dataclass(frozen=True, slots=True)
class Uploads:
    """Videos of a format in the last `days`, and their number per 90 days; None if fewer days are known."""

    per_90_days: float | None
    videos: int
    days: int


def uploads(videos: int, first: date, newest: date) -> Uploads:
    """Return videos · 90 / days, over the 365 days until the channel's newest known video.

    Where the first known video of the channel is younger, the days begin with it; under 90 days there is no rate.
    """
    days = min(YEAR, (newest - first).days + 1)
    return Uploads(videos * RATE_DAYS / days if days >= RATE_DAYS else None, videos, days)
