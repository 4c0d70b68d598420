"""The rule by which a video is longform, a short or live (docs/adr/0061-facts-of-videos.md)."""

from datetime import date
from typing import Final

LONGFORM: Final = "longform"
SHORT: Final = "short"
LIVE: Final = "live"
UNKNOWN: Final = "unknown"
FORMATS: Final = (LONGFORM, SHORT, LIVE, UNKNOWN)

NOT_BROADCAST: Final = "none"
BROADCASTS: Final = frozenset({NOT_BROADCAST, "upcoming", "live", "ended"})
"""States of a broadcast; a video that never was one has none."""

MAX_SHORT_SECONDS: Final = 60
"""The longest short before `LONGER_SHORTS_FROM`."""

MAX_LONGER_SHORT_SECONDS: Final = 180
LONGER_SHORTS_FROM: Final = date(2024, 10, 15)
"""The first day on which YouTube took uploads of up to three minutes for shorts."""


def format_of(duration_seconds: int | None, broadcast: str | None, published_on: date) -> str:
    """Return the format of a video.

    A broadcast is live, be it over or yet to come; so is a premiere, which YouTube tells nobody apart from it. Anything
    else is a short up to the length that YouTube takes for one on the day of publication, and longform beyond. What needs
    to be known and is not makes it unknown: the length, or of a video that is too long for a short whether it was a broadcast.
    """
    if broadcast not in (None, NOT_BROADCAST):
        return LIVE
    if duration_seconds is None or duration_seconds <= 0:
        return UNKNOWN
    if duration_seconds <= max_short_seconds(published_on):
        return SHORT
    return UNKNOWN if broadcast is None else LONGFORM


def max_short_seconds(published_on: date) -> int:
    return MAX_LONGER_SHORT_SECONDS if published_on >= LONGER_SHORTS_FROM else MAX_SHORT_SECONDS
