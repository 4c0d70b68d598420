"""Say why nothing is known of a channel in a period: its known videos end before it, begin after it, or leave a hole."""

from datetime import date

from catalog_service.domain.periods import RequestedPeriod
from shapes.catalog.shared import YoutuberCard


def outside(card: YoutuberCard, period: RequestedPeriod) -> str | None:
    """Return that the known videos lie before or after the period; None if they do not."""
    first, last = card.coverage.first_video, card.coverage.last_video
    if first is None or last is None:
        return None
    if period.start is not None and period.start > last:
        return f"The known videos of {card.name} end on {last}: take a period that begins before."
    if period.end is not None and period.end < first:
        return (
            f"The known videos of {card.name} begin on {first}: take a period that ends after it."
        )
    return None


def hole(card: YoutuberCard, before: date, after: date) -> str:
    """Return that no video is known between the two days, of which there are the nearest."""
    return f"No video of {card.name} is known between {before} and {after}: take a period that reaches one of these days."
