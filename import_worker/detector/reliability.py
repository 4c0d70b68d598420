"""Calibration: how often candidates of a probability are right."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

BANDS: Final = 10


@dataclass(frozen=True, slots=True)
class Band:
    """The candidates whose probability is in one tenth.

    Attributes:
        low: Where the band begins; it ends a tenth higher.
        candidates: How many there are.
        right: How many of them name a label.
        mean: Their mean probability.
    """

    low: float
    candidates: int
    right: int
    mean: float

    @property
    def share(self) -> float:
        """The share that is right; 0 without candidates."""
        return self.right / self.candidates if self.candidates else 0.0


def bands_of(candidates: Iterable[tuple[float, bool]]) -> tuple[Band, ...]:
    """Return ten bands of candidates, each a probability with its rightness."""
    members: list[list[tuple[float, bool]]] = [[] for _ in range(BANDS)]
    for probability, is_right in candidates:
        members[min(int(probability * BANDS + 1e-9), BANDS - 1)].append((probability, is_right))
    return tuple(
        Band(
            low=number / BANDS,
            candidates=len(band),
            right=sum(is_right for _, is_right in band),
            mean=sum(probability for probability, _ in band) / len(band) if band else 0.0,
        )
        for number, band in enumerate(members)
    )


def expected_error(bands: Iterable[Band]) -> float:
    """Return the mean distance between probability and share of right ones, weighed by candidates."""
    filled = [band for band in bands if band.candidates]
    total = sum(band.candidates for band in filled)
    return sum(abs(b.mean - b.share) * b.candidates for b in filled) / total if total else 0.0
