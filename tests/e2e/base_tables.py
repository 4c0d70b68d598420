"""The catalogue's base tables, read once, for computations that share no SQL with the service.

Of `sponsorships` only its own facts are read; day, views, categories and country come from the video, brand and
creator. Totals, rollups and `sponsor_youtubers` are not read at all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, TypeVar

import psycopg
from psycopg.rows import class_row

from devstack.home import Home

K = TypeVar("K", bound=Hashable)
PAID: Final = frozenset({"paid_sponsorship", "promo_code", "affiliate"})

_SPONSORSHIPS: Final = """
    SELECT p.video_id AS video, v.video_id AS youtube_id, v.published_on AS day, v.views, v.category AS content,
           y.id AS creator, y.name AS creator_name, y.country,
           s.id AS brand, s.name AS brand_name, s.category, s.domains[1] AS domain,
           p.kind, p.code
    FROM sponsorships p
    JOIN videos v ON v.id = p.video_id
    JOIN youtubers y ON y.id = v.youtuber_id
    JOIN sponsors s ON s.id = p.sponsor_id
"""
_VIDEOS: Final = """
    SELECT v.id, v.youtuber_id AS creator, y.name AS creator_name, v.published_on AS day, v.views
    FROM videos v JOIN youtubers y ON y.id = v.youtuber_id
"""


@dataclass(frozen=True, slots=True)
class Sponsorship:
    """A sponsorship with the facts of its video, creator and brand."""

    video: int
    youtube_id: str | None
    day: date
    views: int | None
    content: str | None
    creator: int
    creator_name: str
    country: str | None
    brand: int
    brand_name: str
    category: str | None
    domain: str | None
    kind: str
    code: str | None

    @property
    def is_paid(self) -> bool:
        return self.kind in PAID


@dataclass(frozen=True, slots=True)
class Video:
    """A video, sponsored or not."""

    id: int
    creator: int
    creator_name: str
    day: date
    views: int | None


@dataclass(frozen=True, slots=True)
class BaseTables:
    """All sponsorships and all videos."""

    sponsorships: tuple[Sponsorship, ...]
    videos: tuple[Video, ...]

    def paid(self, year: int | None = None) -> list[Sponsorship]:
        """Return paid work, of all time or of a year."""
        return [p for p in self.sponsorships if p.is_paid and year in (None, p.day.year)]

    def of_brand(self, name: str) -> list[Sponsorship]:
        return [p for p in self.sponsorships if p.brand_name == name]

    def of_creator(self, name: str) -> list[Sponsorship]:
        return [p for p in self.sponsorships if p.creator_name == name]

    def last_video(self, creator: str) -> date:
        return max(video.day for video in self.videos if video.creator_name == creator)

    def status(self, creator: str, brand: str) -> str:
        """Return the status of a relation by the rule of ADR 28."""
        newest = max(video.day for video in self.videos)
        known_until = self.last_video(creator)
        if (newest - known_until).days > 180:
            return f"unknown since {known_until}"
        together = [p.day for p in self.of_creator(creator) if p.brand_name == brand]
        return "active" if (known_until - max(together)).days <= 180 else "lapsed"


def read(home: Path) -> BaseTables:
    """Read the tables from the Postgres of a stack's home."""
    stack = Home(home)
    addresses = stack.addresses()
    assert addresses is not None
    server = f"postgresql://postgres:{stack.secrets().postgres_password}@{addresses.postgres}"
    with psycopg.connect(f"{server}/catalog") as connection:
        with connection.cursor(row_factory=class_row(Sponsorship)) as cursor:
            sponsorships = tuple(cursor.execute(_SPONSORSHIPS).fetchall())
        with connection.cursor(row_factory=class_row(Video)) as cursor:
            return BaseTables(sponsorships, tuple(cursor.execute(_VIDEOS).fetchall()))


def videos_of(sponsorships: Iterable[Sponsorship]) -> int:
    """Count different videos."""
    return len({p.video for p in sponsorships})


def creators_of(sponsorships: Iterable[Sponsorship]) -> int:
    """Count different creators."""
    return len({p.creator for p in sponsorships})


def brands_of(sponsorships: Iterable[Sponsorship]) -> int:
    """Count different brands."""
    return len({p.brand for p in sponsorships})


def views_of(sponsorships: Iterable[Sponsorship]) -> int:
    """Sum up views, those of each video once."""
    return sum({p.video: p.views or 0 for p in sponsorships}.values())


def grouped(
    sponsorships: Iterable[Sponsorship], key: Callable[[Sponsorship], K]
) -> dict[K, list[Sponsorship]]:
    groups: dict[K, list[Sponsorship]] = {}
    for sponsorship in sponsorships:
        groups.setdefault(key(sponsorship), []).append(sponsorship)
    return groups


def by_brand(sponsorships: Iterable[Sponsorship]) -> dict[str, list[Sponsorship]]:
    return grouped(sponsorships, lambda p: p.brand_name)


def by_creator(sponsorships: Iterable[Sponsorship]) -> dict[str, list[Sponsorship]]:
    return grouped(sponsorships, lambda p: p.creator_name)
