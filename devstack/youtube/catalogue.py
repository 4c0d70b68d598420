"""The channels and videos that the stand-in shows."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

Privacy: TypeAlias = Literal["public", "unlisted", "private", "deleted"]
Broadcast: TypeAlias = Literal["none", "upcoming", "live", "ended"]


@dataclass(frozen=True, slots=True)
class MadeVideo:
    """A video; its channel is the one that it is put in."""

    video_id: str
    title: str
    description: str
    published_at: datetime
    category: str = "22"
    duration: str = "PT10M"
    views: int | None = 0
    likes: int | None = None
    comments: int | None = 0
    broadcast: Broadcast = "none"
    language: str | None = None
    placement: bool | None = None
    privacy: Privacy = "public"

    @property
    def is_shown(self) -> bool:
        """Return whether videos.list returns the video to everyone."""
        return self.privacy in ("public", "unlisted")


@dataclass(slots=True)
class MadeChannel:
    """A channel with its videos in any order; `subscribers` is None where they are hidden."""

    channel_id: str
    title: str
    handle: str | None = None
    username: str | None = None
    description: str = ""
    country: str | None = None
    subscribers: int | None = 0
    published_at: str = "2015-01-01T00:00:00Z"
    videos: list[MadeVideo] = field(default_factory=list[MadeVideo])

    @property
    def uploads(self) -> str:
        """The playlist of its uploads."""
        return f"UU{self.channel_id[2:]}"

    def newest_first(self) -> list[MadeVideo]:
        """All but the unlisted ones, which are in no playlist."""
        listed = (video for video in self.videos if video.privacy != "unlisted")
        return sorted(listed, key=lambda video: video.published_at, reverse=True)

    def public(self) -> list[MadeVideo]:
        """Return the videos that everyone sees, the newest first."""
        return [video for video in self.newest_first() if video.privacy == "public"]


@dataclass(slots=True)
class Catalogue:
    """Channels, found by what YouTube finds them by."""

    channels: list[MadeChannel] = field(default_factory=list[MadeChannel])
    _by_name: dict[str, MadeChannel] = field(default_factory=dict[str, MadeChannel], init=False)
    _owners: dict[str, MadeChannel] = field(default_factory=dict[str, MadeChannel], init=False)

    def __post_init__(self) -> None:
        self.index()

    def index(self) -> None:
        """Take notice of channels, names and videos that were added or taken out."""
        self._by_name.clear()
        self._owners.clear()
        for channel in self.channels:
            self._by_name[channel.channel_id] = channel
            self._by_name[channel.uploads] = channel
            if channel.handle:
                self._by_name[channel.handle.lower()] = channel
            if channel.username:
                self._by_name[f"user:{channel.username.lower()}"] = channel
            for video in channel.videos:
                self._owners[video.video_id] = channel

    def by_id(self, channel_id: str) -> MadeChannel | None:
        """Return the channel of a `UC…` id."""
        return self._by_name.get(channel_id) if channel_id.startswith("UC") else None

    def by_handle(self, handle: str) -> MadeChannel | None:
        """Return the channel of a handle, with or without its `@`."""
        return self._by_name.get(f"@{handle.removeprefix('@').lower()}")

    def by_username(self, username: str) -> MadeChannel | None:
        """Return the channel of an old user name."""
        return self._by_name.get(f"user:{username.lower()}")

    def by_playlist(self, playlist: str) -> MadeChannel | None:
        """Return the channel of a playlist of uploads."""
        return self._by_name.get(playlist) if playlist.startswith("UU") else None

    def video(self, video_id: str) -> tuple[MadeChannel, MadeVideo] | None:
        """Return a video that is shown to everyone, with its channel."""
        channel = self._owners.get(video_id)
        if channel is None:
            return None
        shown = (video for video in channel.videos if video.is_shown)
        found = next((video for video in shown if video.video_id == video_id), None)
        return (channel, found) if found else None
