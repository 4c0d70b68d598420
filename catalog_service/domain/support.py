"""How far an overlap goes beyond chance, with little support shrunk towards the base rate."""

from typing import Final

from catalog_service.domain.ports import ScoredSponsor

PRIOR: Final = 2.0
"""Pseudo-observations at the base rate: as many as an overlap needs to count for half."""

MIN_SHARED: Final = 2
"""Youtubers below which an overlap may be an accident of one of them."""

_SEVERAL: Final = 5
_LONG: Final = 10.0
"""From here on a figure is written without decimals."""


def score(shared: float, expected: float) -> float:
    """Return how much of an overlap is neither chance nor lack of support: 0 to 1.

    With `k` youtubers shared and `e` expected by chance, the shrunken lift is `(k + λ) / (e + λ)`, the
    observed-to-expected ratio with λ pseudo-observations at the base rate (G. N. Norén, J. Hopstadius,
    A. Bate, "Shrinkage observed-to-expected ratios for robust and transparent large-scale pattern
    discovery", Statistical Methods in Medical Research 22(1), 2013). The score is one less its inverse,
    `1 - (e + λ) / (k + λ) = (k - e) / (k + λ)`: the same order, within bounds; 0 below chance.
    One shared youtuber gives at most 1/3, ten give up to 5/6.
    """
    return max(0.0, (shared - expected) / (shared + PRIOR))


def is_supported(shared: int, expected: float) -> bool:
    return shared >= MIN_SHARED and shared > expected


def support(shared: int, expected: float) -> str:
    """Return what an overlap rests on, in words."""
    if shared < MIN_SHARED:
        return "one creator"
    if shared <= expected:
        return "no more than chance"
    return "few creators" if shared < _SEVERAL else "several creators"


def similarity_evidence(shared: int, first: int, second: int, expected: float) -> str:
    """Return the counts behind the similarity of two sponsors with so many youtubers."""
    return (
        f"{_creators(shared)} sponsored by both, of {first:,} and {second:,}; by chance it would be "
        f"{expected:.2g}."
    )


def prospect_evidence(sponsor: ScoredSponsor, peers: int, alike: str) -> str:
    """Return the counts behind a prospect, and the sums of likeness that its score is of."""
    return (
        f"Sponsors {sponsor.youtubers:,} of the {peers:,} {alike}, where chance would give {_figure(sponsor.expected)}; "
        f"weighed by likeness {_figure(sponsor.weight)}, where chance would give {_figure(sponsor.expected_weight)} "
        f"({_creators(sponsor.all_youtubers)} in all), and in no known video this one."
    )


def _figure(value: float) -> str:
    """Return a figure with two digits at least."""
    return f"{value:.2g}" if value < _LONG else f"{value:,.0f}"


def _creators(count: int) -> str:
    return "1 creator" if count == 1 else f"{count:,} creators"
