"""The catalogue's own totals: what has been looked at, and the days of it."""

from dataclasses import dataclass
from datetime import date

from shapes.catalog.shared import Period


@dataclass(frozen=True, slots=True)
class CatalogTotals:
    """Channels and videos looked at, and those of them with sponsorships; no day without a video."""

    youtubers: int
    sponsored_youtubers: int
    videos: int
    sponsored_videos: int
    first_video: date | None
    last_video: date | None
    first_sponsored: date | None
    last_sponsored: date | None

    def span(self, today: date) -> Period:
        """Return the days from the oldest to the newest video; today if there is none."""
        return Period(self.first_video or today, self.last_video or today)

    def sponsored_span(self, today: date) -> Period:
        """Return the days from the oldest to the newest sponsored video; today if there is none."""
        return Period(self.first_sponsored or today, self.last_sponsored or today)
