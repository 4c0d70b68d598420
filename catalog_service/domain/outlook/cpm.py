"""Expected CPM: the price of a thousand views before a deal."""

from dataclasses import dataclass

from catalog_service.domain.outlook.projection import Projection


@dataclass(frozen=True, slots=True)
class Cpm:
    expected: float
    low: float
    high: float


def expected(price: float, projection: Projection) -> Cpm:
    """Return price / projected views · 1,000, and the same by the ends of the interval of 80 %: many views, low CPM."""
    interval = projection.interval_80
    return Cpm(_cpm(price, projection.views), _cpm(price, interval.high), _cpm(price, interval.low))


def _cpm(price: float, views: float) -> float:
    return price / views * 1000
