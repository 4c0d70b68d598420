"""Shares of a whole, and series without gaps."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Final, TypeVar

from catalog_service.domain import arguments, categories
from catalog_service.domain.ports import Counts
from shapes.catalog.shared import Share

UNKNOWN: Final = "unknown"
P = TypeVar("P")


def by_kind(counts: Counts) -> tuple[Share, ...]:
    return _shares(counts, arguments.KINDS)


def by_content_category(counts: Counts) -> tuple[Share, ...]:
    return _shares(counts, categories.names("content"))


def by_sponsor_category(counts: Counts) -> tuple[Share, ...]:
    return _shares(counts, categories.names("sponsor"))


def by_country(counts: Counts) -> tuple[Share, ...]:
    return _shares(counts, {})


def _shares(counts: Counts, names: Mapping[str, str]) -> tuple[Share, ...]:
    """Return the shares, the largest first; a key without a name is its own name."""
    whole = sum(counts.values())
    parts = [
        Share(
            key, names.get(key, key.capitalize() if key == UNKNOWN else key), videos, videos / whole
        )
        for key, videos in ((key or UNKNOWN, videos) for key, videos in counts.items())
    ]
    return tuple(sorted(parts, key=lambda part: (-part.videos, part.key)))


def without_holes(
    points: Iterable[P],
    steps: Iterable[date],
    start: Callable[[P], date],
    empty: Callable[[date], P],
) -> tuple[P, ...]:
    """Return a point for every step: the one that begins there, else an empty one."""
    known = {start(point): point for point in points}
    return tuple(known.get(step) or empty(step) for step in steps)
