"""Sources of videos: their port, their types and their errors."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from import_worker.domain.segments import Segment
from servicekit.errors import InvalidInput, NotFound, ResourceExhausted, Unavailable

ReferenceKind = Literal["channel_id", "handle", "username", "video_id"]
Broadcast = Literal["none", "upcoming", "live", "ended"]
"""The state of a broadcast or premiere; `none` of what is neither."""

_CHANNEL_ID: Final = re.compile(r"UC[\w-]{22}", re.ASCII)
_LIKE_CHANNEL_ID: Final = re.compile(r"UC(?=[\w-]*\d)[\w-]+|UC[\w-]{18,}", re.ASCII)
"""A word that is hardly a handle without its @: "UCLA" may be one, "UC123" is the id of a channel with characters missing."""
_VIDEO_ID: Final = re.compile(r"[\w-]{11}", re.ASCII)
_HANDLE: Final = re.compile(r"@[\w.·-]{3,60}")
_HOSTS: Final = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be"})


@dataclass(frozen=True, slots=True)
class Reference:
    """A parsed reference to a channel."""

    kind: ReferenceKind
    value: str


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel as its source knows it. Counts are None when hidden or not told."""

    channel_id: str
    title: str
    handle: str | None
    description: str
    country: str | None
    subscribers: int | None
    video_count: int | None
    uploads: str
    """The playlist of all its uploads; the channel id where a source has none."""


@dataclass(frozen=True, slots=True)
class Upload:
    """One entry of the uploads, newest first."""

    video_id: str
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class UploadPage:
    """One page of uploads; `following` is None on the last."""

    uploads: tuple[Upload, ...]
    following: str | None
    total: int | None


@dataclass(frozen=True, slots=True)
class SourceVideo:
    """A public video with the text that the detector reads."""

    video_id: str
    channel_id: str
    title: str
    description: str
    published_at: datetime
    category_number: int | None
    duration_seconds: int | None
    views: int | None
    language: str | None
    declares_placement: bool | None
    """YouTube's own "includes paid promotion" mark; None when it does not say."""
    segments: tuple[Segment, ...] | None = None
    """Sponsors' segments by SponsorBlock; None where it was not asked or did not answer."""
    likes: int | None = None
    comments: int | None = None
    broadcast: Broadcast | None = None
    """None where the source does not say whether it was a broadcast."""


MAX_VIDEOS: Final = 50
"""Videos that a source is asked for at once."""


class Source(Protocol):
    """A source of videos."""

    @property
    def name(self) -> str:
        """`youtube-api` or `youtube-feed`."""
        ...

    @property
    def is_partial(self) -> bool:
        """Return whether it has the newest videos only."""
        ...

    async def resolve(self, reference: Reference) -> Channel:
        """Return the channel that is meant.

        Raises:
            ChannelNotFound: There is no such channel, or it is gone.
            SourceQuotaUsedUp, SourceUnavailable, SourceRefused: See there.
        """
        ...

    async def uploads(self, channel: Channel, page: str | None) -> UploadPage:
        """Return a page of the channel's uploads; the first when `page` is None.

        Raises:
            PageExpired: The page token is not taken any more; begin again at the first page.
        """
        ...

    async def videos(self, video_ids: Sequence[str]) -> Sequence[SourceVideo]:
        """At most `MAX_VIDEOS`; private and deleted ones are missing from the answer."""
        ...


class ChannelNotFound(NotFound):
    default_reason = "CHANNEL_NOT_FOUND"


class MalformedChannelId(InvalidInput):
    """A channel id with too many or too few characters, or others than it may have."""

    default_reason = "MALFORMED_CHANNEL_ID"

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:100]!r} is no channel id: one has UC and 22 letters, digits, - or _ after it. Copy all of it, or give "
            f"the @handle or the URL of the channel. If it is a handle, write it as @{text[:60]}.",
            details={"field": "channel"},
        )


class PageExpired(NotFound):
    default_reason = "PAGE_EXPIRED"


class SourceQuotaUsedUp(ResourceExhausted):
    """The source's daily quota; `retry_after` is the time to its reset."""

    default_reason = "SOURCE_QUOTA_USED_UP"


class SourceUnavailable(Unavailable):
    """The source does not respond, or not fully; the same request may succeed later."""

    default_reason = "SOURCE_UNAVAILABLE"


class SourceRefused(InvalidInput):
    """The source refuses the operator's key or the request; a repetition will fail too."""

    default_reason = "SOURCE_REFUSED"


class UploadsEndless(SourceRefused):
    """The pages of uploads lead in a circle or never end."""

    default_reason = "UPLOADS_ENDLESS"


class PageTokenTooLong(SourceRefused):
    """The name of the next page is longer than any that YouTube gives, and than a URL may be."""

    default_reason = "PAGE_TOKEN_TOO_LONG"


def parse_reference(text: str) -> Reference:
    """Return a channel id, `@handle`, or URL of a channel or video.

    Raises:
        MalformedChannelId: It is a channel id but for some of its characters.
        InvalidInput: It is none of these.
    """
    stripped = text.strip()
    is_url = "/" in stripped or "." in stripped.lstrip("@")
    found = _of_url(stripped) if is_url else _of_word(stripped)
    if found is None:
        raise InvalidInput(
            f"{text[:100]!r} names no YouTube channel. Give a channel id (UC…), an @handle, or the "
            "URL of a channel or of one of its videos.",
            details={"field": "channel"},
        )
    return found


def _of_word(text: str) -> Reference | None:
    if _CHANNEL_ID.fullmatch(text):
        return Reference("channel_id", text)
    if _LIKE_CHANNEL_ID.fullmatch(text):
        raise MalformedChannelId(text)
    handle = text if text.startswith("@") else f"@{text}"
    return Reference("handle", handle) if _HANDLE.fullmatch(handle) else None


def _of_url(text: str) -> Reference | None:
    parts = _split(text if "://" in text else f"https://{text}")
    host = (parts.hostname or "").lower()
    path = _pieces(parts.path)
    if parts.scheme not in ("http", "https") or host not in _HOSTS or not path:
        return _of_word(text) if "/" not in text else None
    video = _video_of(host, path, parts.query)
    if video is not None:
        return Reference("video_id", video) if _VIDEO_ID.fullmatch(video) else None
    return _of_word(path[0]) if path[0].startswith("@") else _channel_of(path)


def _pieces(path: str) -> list[str]:
    return [unquote(piece) for piece in path.split("/") if piece]


def _channel_of(path: list[str]) -> Reference | None:
    """Return the channel of "channel/UC…", "user/name" or "c/name"."""
    if len(path) == 1:
        return None
    if path[0] == "channel" and _CHANNEL_ID.fullmatch(path[1]):
        return Reference("channel_id", path[1])
    if path[0] == "channel" and path[1].startswith("UC"):
        raise MalformedChannelId(path[1])
    if path[0] in ("user", "c") and path[1].isprintable():
        return Reference("username", path[1])
    return None


def _split(url: str) -> SplitResult:
    """Return the parts of a URL; of none where brackets hold no address."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _video_of(host: str, path: list[str], query: str) -> str | None:
    if host == "youtu.be":
        return path[0]
    if path[0] == "watch":
        return parse_qs(query).get("v", [""])[0]
    if path[0] in ("shorts", "live", "embed") and len(path) > 1:
        return path[1]
    return None
