"""What signals beside the texts do to a candidate's probability.

The factors are not learnt: no labelled video has such signals. They are small, so that a text that
says nothing of a brand stays unpublished.
"""

from typing import Final

from import_worker.detector.brand_names import article_free
from import_worker.domain.records import Kind
from import_worker.domain.signals import VideoSignals

_PAID: Final[frozenset[Kind]] = frozenset({"paid_sponsorship", "promo_code"})
_DECLARED: Final = 1.5
_DECLARED_FREE: Final = 0.7
_SEGMENT: Final = 1.5
_CHAPTER: Final = 5.0


def max_probability(probability: float, signals: VideoSignals) -> float:
    """Return the highest probability that the signals of a video may give to a candidate of it, whatever its brand and kind."""
    factor = _DECLARED if signals.paid_placement else 1.0
    factor *= _SEGMENT if signals.segments else 1.0
    factor *= _CHAPTER if signals.sponsor_chapters else 1.0
    return _multiplied(probability, factor)


def with_signals(probability: float, brand: str, kind: Kind, signals: VideoSignals | None) -> float:
    """Return the probability with the odds multiplied by what each signal speaks for.

    YouTube's mark of paid promotion and viewers' segments speak for any paid kind; a sponsor's
    chapter speaks for the brand that it names.
    """
    if signals is None:
        return probability
    factor = 1.0
    if kind in _PAID and signals.paid_placement is not None:
        factor *= _DECLARED if signals.paid_placement else _DECLARED_FREE
    if kind in _PAID and signals.segments:
        factor *= _SEGMENT
    key = article_free(brand)
    if any(key == article_free(chapter.name) for chapter in signals.sponsor_chapters):
        factor *= _CHAPTER
    return _multiplied(probability, factor)


def _multiplied(probability: float, factor: float) -> float:
    """Return the probability whose odds are the given one's times the factor."""
    if probability in {0.0, 1.0}:
        return probability
    odds = probability / (1 - probability) * factor
    return odds / (1 + odds)
