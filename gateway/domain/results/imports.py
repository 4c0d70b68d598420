"""Answers about imports of channels. Instants are RFC 3339 in UTC."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated


@dataclass(frozen=True, slots=True)
class FoundBrand:
    """A brand that an import found."""

    slug: Annotated[str, "The brand's slug, which the tools of sponsors take."]
    name: Annotated[str, "The brand's name."]
    videos: Annotated[int, "Videos of the channel that it was found in."]


@dataclass(frozen=True, slots=True)
class ImportStatus:
    """An import as its account sees it."""

    import_id: Annotated[str, "For the other tools of imports."]
    channel_id: Annotated[str, "YouTube's id of the channel."]
    channel_title: Annotated[str, "The channel's name."]
    state: Annotated[str, "queued, running, waiting, done, failed or cancelled."]
    message: Annotated[str, "A sentence about the state, for people."]
    source: Annotated[
        str, "youtube-api, or youtube-feed, which shows the newest fifteen or so videos alone."
    ]
    videos_seen: Annotated[int, "Videos read so far."]
    videos_total: Annotated[int | None, "Videos that there are to read, where that is known."]
    sponsorships: Annotated[int, "Sponsorships found so far."]
    brands: Annotated[tuple[FoundBrand, ...], "The most frequent brands found, at most 20."]
    created_at: Annotated[datetime, "When it was asked for."]
    started_at: Annotated[datetime | None, "When its work began."]
    finished_at: Annotated[datetime | None, "When it ended."]
    retry_at: Annotated[datetime | None, "When a waiting import goes on."]
    joined: Annotated[bool, "Whether it was under way already when it was asked for."]

    @property
    def has_ended(self) -> bool:
        return self.state in ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class ImportList:
    """A page of an account's imports."""

    imports: Annotated[tuple[ImportStatus, ...], "Newest first."]
    next_cursor: Annotated[str | None, "For the next page; absent on the last."]
