"""The responses of YouTube's Data API, and their conversion to the domain's types.

Absent properties stand for what YouTube does not tell; a video that lacks what makes it one (its
channel or its date) makes the answer unreadable, as half an answer does.
"""

import json
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, TypeAlias, TypeVar, cast

import isodate
import msgspec
from msgspec import Meta, Struct

from import_worker.domain.sources import (
    Broadcast,
    Channel,
    PageTokenTooLong,
    SourceVideo,
    Upload,
    UploadPage,
)
from servicekit.observability import logs

log = logs.get(__name__)

S = TypeVar("S", bound=Struct)

_Instant: TypeAlias = Annotated[datetime, Meta(tz=True)]
_NUL: Final = rb"\u0000"
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_MAX_COUNT: Final = 2**63 - 1
_MAX_INTEGER: Final = 2**31 - 1
_MAX_DIGITS: Final = 19
_MAX_PAGE_TOKEN: Final = 1_000
"""Characters; YouTube's have about a hundred."""
_LANGUAGE_TAG: Final = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,5}")
_SHOWN: Final = frozenset({"", "public", "unlisted"})


def decode(body: bytes, kind: type[S]) -> S:
    """Return an answer, with a mark in the place of each character that none of our stores can hold.

    Raises:
        msgspec.MsgspecError, ValueError, RecursionError: It is no such answer.
    """
    if _NUL not in body:
        # Half a character of UTF-16 makes the whole text unreadable to msgspec.
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            return msgspec.json.decode(body, type=kind)
    return msgspec.convert(_marked(json.loads(body.decode("utf-8", "replace"))), kind)


def _marked(value: Any) -> Any:
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_marked(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: _marked(item) for name, item in cast("dict[str, Any]", value).items()}
    return value


class _Part(Struct, rename="camel", frozen=True):
    """A part of an answer: camelCase there, snake_case here."""


class _ChannelSnippet(_Part, frozen=True):
    title: str = ""
    description: str = ""
    custom_url: str = ""
    country: str | None = None


class _ChannelStatistics(_Part, frozen=True):
    subscriber_count: str | None = None
    video_count: str | None = None
    hidden_subscriber_count: bool = False


class _RelatedPlaylists(_Part, frozen=True):
    uploads: str = ""


class _ChannelContentDetails(_Part, frozen=True):
    related_playlists: _RelatedPlaylists = _RelatedPlaylists()


class _ChannelItem(_Part, frozen=True):
    id: str
    snippet: _ChannelSnippet
    statistics: _ChannelStatistics = _ChannelStatistics()
    content_details: _ChannelContentDetails = _ChannelContentDetails()


class ChannelList(_Part, frozen=True):
    """The answer of channels.list; `items` is left out when nothing was found."""

    items: tuple[_ChannelItem, ...] = ()


class _UploadContentDetails(_Part, frozen=True):
    video_id: str
    video_published_at: _Instant | None = None


class _UploadStatus(_Part, frozen=True):
    privacy_status: str = ""


class _UploadItem(_Part, frozen=True):
    content_details: _UploadContentDetails
    status: _UploadStatus = _UploadStatus()


class _PageInfo(_Part, frozen=True):
    total_results: int | None = None


class UploadList(_Part, frozen=True):
    """The answer of playlistItems.list."""

    items: tuple[_UploadItem, ...] = ()
    next_page_token: str | None = None
    page_info: _PageInfo = _PageInfo()


class _VideoSnippet(_Part, frozen=True):
    channel_id: str
    published_at: _Instant
    title: str = ""
    description: str = ""
    category_id: str | None = None
    default_audio_language: str | None = None
    live_broadcast_content: str | None = None


class _VideoContentDetails(_Part, frozen=True):
    duration: str | None = None


class _VideoStatistics(_Part, frozen=True):
    view_count: str | None = None
    like_count: str | None = None
    comment_count: str | None = None


class _LiveStreaming(_Part, frozen=True):
    """Of broadcasts and premieres alone."""


class _Placement(_Part, frozen=True):
    has_paid_product_placement: bool | None = None


class _VideoItem(_Part, frozen=True):
    id: str
    snippet: _VideoSnippet
    content_details: _VideoContentDetails = _VideoContentDetails()
    statistics: _VideoStatistics = _VideoStatistics()
    paid_product_placement_details: _Placement = _Placement()
    live_streaming_details: _LiveStreaming | None = None


class VideoList(_Part, frozen=True):
    """The answer of videos.list."""

    items: tuple[_VideoItem, ...] = ()


class _OwnerSnippet(_Part, frozen=True):
    channel_id: str


class _OwnedItem(_Part, frozen=True):
    snippet: _OwnerSnippet


class OwnerList(_Part, frozen=True):
    """The answer of videos.list when only the channel is asked for."""

    items: tuple[_OwnedItem, ...] = ()


def channel(item: _ChannelItem) -> Channel:
    """Return a channel; its uploads have the id of the channel with another second letter."""
    statistics = item.statistics
    handle = item.snippet.custom_url
    return Channel(
        channel_id=item.id,
        title=item.snippet.title,
        handle=handle if handle.startswith("@") else None,
        description=item.snippet.description,
        country=item.snippet.country or None,
        subscribers=None
        if statistics.hidden_subscriber_count
        else _count(statistics.subscriber_count),
        video_count=_count(statistics.video_count),
        uploads=item.content_details.related_playlists.uploads or f"UU{item.id[2:]}",
    )


def upload_page(page: UploadList) -> UploadPage:
    """Return a page without its private and deleted entries, whose videos nobody is shown.

    Raises:
        PageTokenTooLong: The page after it could not be asked for.
    """
    if len(page.next_page_token or "") > _MAX_PAGE_TOKEN:
        raise PageTokenTooLong(
            "YouTube names the next page of the channel's videos by more than "
            f"{_MAX_PAGE_TOKEN:,} characters."
        )
    total = page.page_info.total_results
    return UploadPage(
        uploads=tuple(
            Upload(item.content_details.video_id, item.content_details.video_published_at)
            for item in page.items
            if item.status.privacy_status in _SHOWN
        ),
        following=page.next_page_token or None,
        total=total if total is not None and 0 <= total <= _MAX_INTEGER else None,
    )


def videos(response: VideoList) -> tuple[SourceVideo, ...]:
    """Return the videos as the detector reads them, without those that no calendar holds."""
    found: list[SourceVideo] = []
    for item in response.items:
        try:
            found.append(video(item))
        except OverflowError as error:
            log.warning("youtube_video_unreadable", video_id=item.id, error=str(error))
    return tuple(found)


def video(item: _VideoItem) -> SourceVideo:
    """Return a video as the detector reads it.

    Raises:
        OverflowError: Its date is outside of the calendar in UTC.
    """
    snippet = item.snippet
    return SourceVideo(
        video_id=item.id,
        channel_id=snippet.channel_id,
        title=snippet.title,
        description=snippet.description,
        published_at=snippet.published_at.astimezone(UTC),
        category_number=_count(snippet.category_id, _MAX_INTEGER),
        duration_seconds=_seconds(item.content_details.duration),
        views=_count(item.statistics.view_count),
        language=_language(snippet.default_audio_language),
        declares_placement=item.paid_product_placement_details.has_paid_product_placement,
        likes=_count(item.statistics.like_count),
        comments=_count(item.statistics.comment_count),
        broadcast=_broadcast(item),
    )


def _language(tag: str | None) -> str | None:
    """Return a tag of BCP 47, None of what is none."""
    return tag if tag and _LANGUAGE_TAG.fullmatch(tag) else None


def _broadcast(item: _VideoItem) -> Broadcast | None:
    """Return the state of a broadcast or premiere; one that is over is known by its start alone."""
    match item.snippet.live_broadcast_content:
        case "live":
            return "live"
        case "upcoming":
            return "upcoming"
        case "none":
            return "none" if item.live_streaming_details is None else "ended"
        case _:
            return None


def _count(text: str | None, max_number: int = _MAX_COUNT) -> int | None:
    """Return a number that came as text, as all of YouTube's 64-bit numbers do; None beyond `most`."""
    if not text or len(text) > _MAX_DIGITS or not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number if number <= max_number else None


def _seconds(text: str | None) -> int | None:
    """Return the length of a video; None for live and coming ones, which have `P0D`."""
    try:
        length: object = isodate.parse_duration(text or "")  # pyright: ignore[reportUnknownMemberType]
    except (isodate.ISO8601Error, ValueError, OverflowError):
        return None
    if not isinstance(length, timedelta) or length <= timedelta():
        return None
    seconds = int(length.total_seconds())
    return seconds if seconds <= _MAX_INTEGER else None


class _Detail(_Part, frozen=True):
    reason: str = ""
    metadata: dict[str, str] = {}


class _ErrorItem(_Part, frozen=True):
    reason: str = ""


class _Error(_Part, frozen=True):
    message: str = ""
    errors: tuple[_ErrorItem, ...] = ()
    details: tuple[_Detail, ...] = ()


class Failure(_Part, frozen=True):
    """The answer to a question that YouTube refuses."""

    error: _Error

    @property
    def reason(self) -> str:
        """The old envelope's reason; the new one's, such as `API_KEY_INVALID`, when it is vague."""
        old = self.error.errors[0].reason if self.error.errors else ""
        new = next((detail.reason for detail in self.error.details if detail.reason), "")
        return new if new and old in ("", "badRequest") else old

    @property
    def is_of_the_day(self) -> bool:
        """Return whether it is a day's limit that the new envelope calls a rate."""
        units = (detail.metadata.get("quota_unit", "") for detail in self.error.details)
        return any("/d/" in unit for unit in units)


def failure(body: bytes) -> Failure | None:
    """Return the error in an answer, if it is one of YouTube's."""
    try:
        return msgspec.json.decode(body, type=Failure)
    except msgspec.MsgspecError:
        return None
