"""Ages of a video at which its views are compared, and for which it is therefore read again."""

from datetime import datetime, timedelta
from typing import Final

AGES: Final = (1, 2, 3, 7, 14, 30, 60, 90, 180, 365)
"""In days; the catalogue keeps the observations around them."""


def came_of_age(published_at: datetime, since: datetime, now: datetime) -> bool:
    """Return whether a video has reached one of the ages since a moment."""
    return any(since < published_at + timedelta(days=age) <= now for age in AGES)
