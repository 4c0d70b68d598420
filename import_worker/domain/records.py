"""Videos that are written to the catalog, beside the facts of `shapes.catalog.ingest`."""

from dataclasses import dataclass
from datetime import date, datetime
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

    It is `VideoFact` with typed times: there they are texts, as a file may give a day in the place of an instant.

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
        paid_promotion_disclosed: Whether its creator told YouTube of paid promotion; absent when
            YouTube does not say.
        likes: How often it had been liked.
        comments: How many comments it had.
        observed_at: The day on which views, likes and comments were read, in UTC.
        language: What is spoken, as BCP 47 names it.
        broadcast: none, upcoming, live or ended, where known.
        description_text: Its description without links, codes and sponsors, see `spoken_text`; absent when it is not known.
        disclosure_words: Words of advertising in the description, apart by spaces; empty when it has none, absent when it is not known.
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
    paid_promotion_disclosed: bool | None = None
    likes: int | None = None
    comments: int | None = None
    observed_at: date | None = None
    language: str | None = None
    broadcast: str | None = None
    description_text: str | None = None
    disclosure_words: str | None = None
