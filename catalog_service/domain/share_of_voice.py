"""Shares of a whole, and series without gaps."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Final, TypeVar

from catalog_service.domain import categories, kinds
from catalog_service.domain.ports import Counts, PartCounts
from shapes.catalog.shared import Share

UNKNOWN: Final = "unknown"
P = TypeVar("P")


def by_kind(counts: Counts | PartCounts) -> tuple[Share, ...]:
    return _shares(counts, kinds.NAMES)


def by_content_category(counts: Counts) -> tuple[Share, ...]:
    return _shares(counts, categories.names("content"))


def by_sponsor_category(counts: PartCounts) -> tuple[Share, ...]:
    return _shares(counts, categories.names("sponsor"))


def by_country(counts: Counts) -> tuple[Share, ...]:
    return _shares(counts, {})


def _shares(counts: Counts | PartCounts, names: Mapping[str, str]) -> tuple[Share, ...]:
    """Return the shares, the largest first; a key without a name is its own name.

    Plain counts are of one sponsor: of it a video has one sponsorship.
    """
    each = counts if isinstance(counts, PartCounts) else PartCounts(counts, counts)
    whole = sum(each.sponsorships.values())
    parts = [
        _share(key or UNKNOWN, names, each.videos[key], sponsorships, whole)
        for key, sponsorships in each.sponsorships.items()
    ]
    return tuple(sorted(parts, key=lambda part: (-part.sponsorships, part.key)))


def _share(key: str, names: Mapping[str, str], videos: int, sponsorships: int, whole: int) -> Share:
    name = names.get(key, key.capitalize() if key == UNKNOWN else key)
    return Share(key, name, videos, sponsorships / whole, sponsorships)


def without_holes(
    points: Iterable[P],
    steps: Iterable[date],
    start: Callable[[P], date],
    empty: Callable[[date], P],
) -> tuple[P, ...]:
    """Return a point for every step: the one that begins there, else an empty one."""
    known = {start(point): point for point in points}
    return tuple(known.get(step) or empty(step) for step in steps)
