"""Random videos with several sponsorships, of any kinds."""

import random
from collections.abc import Sequence

from catalog_service.domain import kinds
from shapes.catalog.ingest import SponsorshipFact, VideoFact


def videos(
    chooser: random.Random, slugs: Sequence[str], youtubers: str, days: Sequence[str]
) -> list[VideoFact]:
    """Return 24 facts about 18 videos; the last of a video holds."""
    return [_video(chooser, slugs, youtubers, days, number) for number in range(24)]


def _video(
    chooser: random.Random,
    slugs: Sequence[str],
    youtubers: str,
    days: Sequence[str],
    number: int,
) -> VideoFact:
    claims = [
        SponsorshipFact(
            sponsor_slug=slug,
            kind=chooser.choice(kinds.ALL),
            confidence=chooser.choice((0.5, 1.0)),
            detector_version="d",
            reason="r",
        )
        for slug in chooser.sample(slugs, chooser.randint(0, 3))
    ]
    return VideoFact(
        key=f"v{chooser.randrange(18) if number > 18 else number}",
        youtuber_key=chooser.choice(youtubers),
        published_at=chooser.choice(days),
        views=chooser.choice((None, 0, 10, 25)),
        category=chooser.choice((None, "gaming", "music")),
        sponsorships=tuple(claims),
    )
