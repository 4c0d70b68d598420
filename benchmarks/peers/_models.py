"""The response as a typed value, for frameworks that make their schemas from annotations."""

from pydantic import BaseModel


class SponsorCard(BaseModel):
    id: str
    slug: str
    name: str
    domain: str | None
    website: str | None
    category: str | None
    country: str | None
    first_seen: str | None
    last_seen: str | None
    status: str
    videos: int
    paid_videos: int
    youtubers: int
    views: int
    known_until: str | None


class SponsorPage(BaseModel):
    sponsors: list[SponsorCard]
    next_cursor: str | None
