"""The benefits that a text offers: searched for once, as many windows of it ask for them."""

from bisect import bisect_left
from functools import lru_cache

from import_worker.detector.phrases.offers import BENEFIT
from import_worker.detector.prefilter import bit_of, searchable


def has_benefit(lowered: str, start: int, end: int) -> bool:
    """Return whether a benefit is offered within a stretch of a text."""
    starts, ends = _benefits(lowered)
    first = bisect_left(starts, start)
    return first < len(starts) and ends[first] <= end


@lru_cache(maxsize=4)
def _benefits(lowered: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the starts and the ends of the benefits of a text."""
    if not searchable(lowered, 0, len(lowered)) & bit_of(BENEFIT):
        return (), ()
    spans = [match.span() for match in BENEFIT.finditer(lowered)]
    return tuple(start for start, _ in spans), tuple(end for _, end in spans)
