"""The catalogue's base tables, read once, for computations that share no SQL with the service.

Of `sponsorships` only its own facts are read; day, views, categories and country come from the video, brand and
creator. Totals, rollups and `sponsor_youtubers` are not read at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, TypeVar

import psycopg
from psycopg.rows import class_row

from devstack.home import Home

K = TypeVar("K", bound=Hashable)
PAID: Final = frozenset({"paid_sponsorship", "promo_code", "affiliate"})

_SPONSORSHIPS: Final = """
    SELECT p.video_id AS video, v.video_id AS youtube_id, v.published_on AS day, v.views, v.category AS content,
           y.id AS creator, y.name AS creator_name, y.country, y.subscribers,
           s.id AS brand, s.name AS brand_name, s.category, s.domains[1] AS domain,
           p.kind, p.code
    FROM sponsorships p
    JOIN videos v ON v.id = p.video_id
    JOIN youtubers y ON y.id = v.youtuber_id
    JOIN sponsors s ON s.id = p.sponsor_id
"""
_VIDEOS: Final = """
    SELECT v.id, v.youtuber_id AS creator, y.name AS creator_name, y.country, v.category AS content,
           v.published_on AS day, v.views, v.format
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
    subscribers: int | None
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
    country: str | None
    content: str | None
    day: date
    views: int | None
    format: str


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

    def same_channels(
        self, own: Iterable[Sponsorship], year: int
    ) -> dict[str, tuple[int, int, int, int]]:
        """Return figures of the creators of these sponsorships of whom videos are known in the year and the one before.

        They are sponsored videos of the year and of the one before, and known videos of both.
        """
        sponsored = Counter((p.creator_name, p.day.year) for p in own)
        known = Counter((video.creator_name, video.day.year) for video in self.videos)
        return {
            name: (
                sponsored[name, year], sponsored[name, year - 1], known[name, year], known[name, year - 1],
            )
            for name in {name for name, each in sponsored if each in {year, year - 1}}
            if known[name, year] and known[name, year - 1]
        }  # fmt: skip

    def last_video(self, creator: str) -> date:
        return max(video.day for video in self.videos if video.creator_name == creator)

    def status(self, creator: str, brand: str) -> str:
        """Return the status of a relation by the rule of ADR 28."""
        known_until = self.last_video(creator)
        last = max(p.day for p in self.of_creator(creator) if p.brand_name == brand)
        if (known_until - last).days > 180:
            later = sum(video.creator_name == creator and video.day > last for video in self.videos)
            return f"lapsed by {known_until}" if later >= 5 else f"unknown since {last}"
        is_current = (datetime.now(UTC).date() - known_until).days <= 180
        return "active" if is_current else f"unknown since {known_until}"

    def brand_status(self, brand: str) -> str:
        """Return the status of a brand by the rule of ADR 28."""
        creators = {p.creator_name for p in self.of_brand(brand)}
        words = {self.status(creator, brand).partition(" ")[0] for creator in creators}
        if not words:
            return "unseen"
        return "active" if "active" in words else "lapsed" if words == {"lapsed"} else "unknown"


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


def left_out_videos(possible: Iterable[Sponsorship], counted: Iterable[Sponsorship]) -> int:
    """Count the videos that may match and that no other sponsorship of theirs brings in."""
    return len({p.video for p in possible} - {p.video for p in counted})


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
