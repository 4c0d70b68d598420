"""Rankings by views in which few videos make the place of a brand."""

from collections.abc import Iterable
from typing import Final

from shapes.catalog.sponsors import RankedSponsor

_FEW: Final = 3
_LARGE_SHARE: Final = 0.25


def note(ranked: Iterable[RankedSponsor], min_confidence: float) -> str | None:
    """Return what a ranking by views owes to few videos of one brand; None if it owes little."""
    found = (item for item in ranked if item.metric_share >= _LARGE_SHARE and item.videos <= _FEW)
    first = next(found, None)
    if first is None:
        return None
    videos = "one video" if first.videos == 1 else f"{first.videos} videos"
    advice = (
        "" if min_confidence else " `min_confidence` leaves out what the detector is unsure of."
    )
    return (
        f"{first.sponsor.name} has {first.metric_share:.0%} of all views by {videos}: look at "
        f"what `sponsor.recentVideos` shows before you rely on it.{advice}"
    )
