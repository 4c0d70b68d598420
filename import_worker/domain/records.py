"""Videos that are written to the catalog, beside the facts of `shapes.catalog.ingest`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from shapes.catalog.ingest import SponsorshipFact

Kind = Literal["paid_sponsorship", "promo_code", "affiliate", "free_product"]
"""The kinds of sponsorships, the strongest first."""

ExcerptSource = Literal["title", "description"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
EXCERPT_SOURCES: Final[tuple[ExcerptSource, ...]] = get_args(ExcerptSource)


@dataclass(frozen=True, slots=True)
class VideoRecord:
    """A video that was read, sponsored or not.

    Attributes:
        key: Stable identity, see `keys.video_key`.
        video_id: YouTube's id of the video, when known.
        youtuber_key: The channel, as in `YoutuberFact.key`.
        title: Its title; absent where the text may not be kept.
        published_at: When it was published, aware and in UTC.
        views: How often it had been seen.
        category: Slug of its content, see `youtube_categories`.
        duration_seconds: Its length.
        detector_version: The detector that read it; absent when none has.
        sponsorships: What that detector found.
        title_hash: Salted hash of the title, where that may not be kept.
    """

    key: str
    video_id: str | None
    youtuber_key: str
    title: str | None
    published_at: datetime
    views: int | None
    category: str | None
    duration_seconds: int | None
    detector_version: str | None
    sponsorships: tuple[SponsorshipFact, ...]
    title_hash: str | None = None
