"""What is written to the catalog. Offsets are in characters, instants aware and in UTC."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

Kind = Literal["paid_sponsorship", "promo_code", "affiliate", "free_product"]
"""How a brand stands behind a video, the strongest first."""

ExcerptSource = Literal["title", "description"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
EXCERPT_SOURCES: Final[tuple[ExcerptSource, ...]] = get_args(ExcerptSource)


@dataclass(frozen=True, slots=True)
class SponsorRecord:
    """A brand.

    Attributes:
        slug: Stable ASCII name in URLs, such as "blue-harbor".
        name: The brand's name for people.
        aliases: Other names it goes by.
        domains: Registrable domains, the main one first.
        category: Slug of the brand's line of business.
        country: ISO 3166 alpha-2 code of its home.
        website: Its home page.
    """

    slug: str
    name: str
    aliases: tuple[str, ...]
    domains: tuple[str, ...]
    category: str | None
    country: str | None
    website: str | None


@dataclass(frozen=True, slots=True)
class YoutuberRecord:
    """A creator's channel.

    Attributes:
        key: Stable identity, see `keys.youtuber_key`.
        channel_id: YouTube's id of the channel, when known.
        handle: The channel's handle with its "@", when known.
        name: The channel's title.
        subscribers: Number of subscribers, when public.
        country: ISO 3166 alpha-2 code.
        category: Slug of what the channel mostly publishes.
        source: Where the record is from, such as "youtube-api".
    """

    key: str
    channel_id: str | None
    handle: str | None
    name: str
    subscribers: int | None
    country: str | None
    category: str | None
    source: str | None


@dataclass(frozen=True, slots=True)
class SponsorshipRecord:
    """A claim that a brand sponsors a video, with its evidence.

    Attributes:
        sponsor_slug: The brand, as in `SponsorRecord.slug`.
        kind: How the brand stands behind the video.
        code: The creator's promo code.
        link: The link that was offered.
        excerpt: The exact text that shows it; absent where the text may not be kept.
        excerpt_source: Which text the excerpt is from.
        excerpt_start: First character of the excerpt in that text.
        excerpt_end: One past its last character.
        confidence: From 0 to 1.
        detector_version: The detector that made the claim.
        reason: Why, in a few words of ours.
    """

    sponsor_slug: str
    kind: Kind
    code: str | None
    link: str | None
    excerpt: str | None
    excerpt_source: ExcerptSource | None
    excerpt_start: int | None
    excerpt_end: int | None
    confidence: float
    detector_version: str
    reason: str


@dataclass(frozen=True, slots=True)
class VideoRecord:
    """A video that was looked at, sponsored or not.

    Attributes:
        key: Stable identity, see `keys.video_key`.
        video_id: YouTube's id of the video, when known.
        youtuber_key: The channel, as in `YoutuberRecord.key`.
        title: Its title; absent where the text may not be kept.
        published_at: When it was published, aware and in UTC.
        views: How often it had been seen.
        category: Slug of its content, see `youtube_categories`.
        duration_seconds: Its length.
        detector_version: The detector that read it; absent when none has.
        sponsorships: What that detector found.
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
    sponsorships: tuple[SponsorshipRecord, ...]
