"""A generated catalogue of a given size. Names are made up; the shape is a long tail as in life.

Sponsors and youtubers, and the first of the videos, come as records for the ingest; the rest of the
videos comes from `bulk.py`.
"""

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from import_worker.domain.ingest import Record
from import_worker.domain.records import KINDS, VideoRecord
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, YoutuberFact

_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ka",
    "le",
    "mi",
    "no",
    "pu",
    "ra",
    "se",
    "ti",
    "vo",
    "xu",
    "za",
    "bri",
    "clo",
    "dra",
    "fle",
    "gro",
    "pla",
    "sto",
    "tri",
]
_CATEGORIES = ("security", "software", "electronics", "games", "food", "finance", "education")
_CONTENT = ("gaming", "science-technology", "education", "entertainment", "howto-style", "music")
_COUNTRIES = ("US", "DE", "FR", "JP", "IN", "BR", "KR", "GB")
_NEWEST = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Size:
    """The number of rows of each kind; every sponsored video has one sponsorship."""

    sponsors: int
    youtubers: int
    videos: int
    sponsorships: int

    @property
    def share(self) -> float:
        """The share of the videos that is sponsored."""
        return self.sponsorships / self.videos


def name(seed: int) -> str:
    """A made-up name, the same for the same seed."""
    chooser = random.Random(seed)
    word = "".join(chooser.choice(_SYLLABLES) for _ in range(chooser.randint(2, 4)))
    return f"{word.capitalize()}{seed % 97 or ''}"


def slug(number: int) -> str:
    return f"{name(number).lower()}-{number}"


async def parties(size: Size) -> AsyncIterator[Record]:
    """All sponsors and youtubers."""
    chooser = random.Random(1)
    for number in range(size.sponsors):
        yield SponsorFact(
            slug=slug(number),
            name=name(number),
            domains=(f"{slug(number)}.example",),
            category=_CATEGORIES[number % len(_CATEGORIES)],
            country=_COUNTRIES[number % len(_COUNTRIES)],
            website=f"https://{slug(number)}.example/",
        )
    for number in range(size.youtubers):
        yield YoutuberFact(
            key=f"UC{number:022}",
            channel_id=f"UC{number:022}",
            name=f"{name(number + 1_000_000)} {number}",
            subscribers=int(chooser.paretovariate(1.1) * 1_000),
            country=_COUNTRIES[number % len(_COUNTRIES)],
            category=_CONTENT[number % len(_CONTENT)],
            source="generated",
        )


async def videos(size: Size, count: int) -> AsyncIterator[Record]:
    """The first `count` videos, sponsored in the share that holds for all."""
    chooser = random.Random(2)
    for number in range(count):
        yield _video(number, size, chooser)


def _video(number: int, size: Size, chooser: random.Random) -> VideoRecord:
    # The n-th sponsor has 1/n of the first one's videos (Zipf).
    sponsor = int(size.sponsors ** chooser.random()) - 1
    youtuber = chooser.randrange(size.youtubers)
    sponsorship = SponsorshipFact(
        sponsor_slug=slug(sponsor),
        kind=KINDS[number % len(KINDS)],
        confidence=0.9,
        detector_version="generated",
        reason="generated",
    )
    return VideoRecord(
        key=f"v{number:010}",
        video_id=f"v{number:010}",
        youtuber_key=f"UC{youtuber:022}",
        title=None,
        published_at=_NEWEST - timedelta(minutes=chooser.randrange(60 * 24 * 365 * 5)),
        views=int(chooser.paretovariate(1.0) * 1_000),
        category=_CONTENT[youtuber % len(_CONTENT)],
        duration_seconds=600,
        detector_version="generated",
        sponsorships=(sponsorship,) if chooser.random() < size.share else (),
    )
