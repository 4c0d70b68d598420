"""The newest videos of a channel by its public feed, without an API key.

A feed shows about fifteen videos and tells no country, no counts of the channel and no durations.
A name that is no channel id is looked up on YouTube's page of it. Redirects are followed on the
configured host alone.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote
from xml.etree.ElementTree import Element, ParseError

import httpx2
from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from import_worker.clients import youtube_pages as pages
from import_worker.clients.youtube_http import Response, YouTubeHttp
from import_worker.domain.sources import (
    Channel,
    ChannelNotFound,
    PageExpired,
    Reference,
    SourceRefused,
    SourceUnavailable,
    SourceVideo,
    Upload,
    UploadPage,
)
from servicekit.observability import logs

_MAX_FEED_BYTES: Final = 2 * 1024 * 1024
_MAX_PAGE_BYTES: Final = 6 * 1024 * 1024
_MAX_REDIRECTS: Final = 3
_MAX_CHANNELS: Final = 64
_OK: Final = 200
_GONE: Final = (404, 410)
_NAMES: Final = {
    "": "http://www.w3.org/2005/Atom",
    "media": "http://search.yahoo.com/mrss/",
    "yt": "http://www.youtube.com/xml/schemas/2015",
}
_VIEWS: Final = re.compile("[0-9]{1,18}")
_LANGUAGE: Final = {"Accept-Language": "en"}

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class _Feed:
    title: str
    videos: tuple[SourceVideo, ...]


class YouTubeFeed:
    """`Source` over the public feeds.

    Args:
        http: Bound to the host of YouTube's site.
    """

    name = "youtube-feed"
    is_partial = True

    def __init__(self, http: YouTubeHttp) -> None:
        self._http = http
        self._read: OrderedDict[str, Mapping[str, SourceVideo]] = OrderedDict()

    async def resolve(self, reference: Reference) -> Channel:
        """Return the channel that is meant, as its feed shows it."""
        channel_id = await self._channel_id(reference)
        feed = await self._feed(channel_id)
        return Channel(
            channel_id=channel_id,
            title=feed.title,
            handle=reference.value if reference.kind == "handle" else None,
            description="",
            country=None,
            subscribers=None,
            video_count=None,
            uploads=channel_id,
        )

    async def uploads(self, channel: Channel, page: str | None) -> UploadPage:
        """Return the videos of the feed, all on the first page."""
        if page is not None:
            raise PageExpired("YouTube's feed has one page. Begin again without a page token.")
        feed = await self._feed(channel.channel_id)
        self._keep(channel.channel_id, feed)
        uploads = (Upload(video.video_id, video.published_at) for video in feed.videos)
        return UploadPage(tuple(uploads), following=None, total=None)

    async def videos(self, video_ids: Sequence[str]) -> Sequence[SourceVideo]:
        """Return the given videos that are in the feeds that `uploads` read last.

        Raises:
            SourceUnavailable: None of them was shown; the uploads have to be read again, as after
                a restart.
        """
        known = {key: video for videos in self._read.values() for key, video in videos.items()}
        found = tuple(known[video_id] for video_id in video_ids if video_id in known)
        if video_ids and not found:
            raise SourceUnavailable("The feed of these videos is no longer at hand. Read it again.")
        return found

    async def _channel_id(self, reference: Reference) -> str:
        value = reference.value
        if reference.kind == "channel_id":
            return value
        if reference.kind == "video_id":
            return await self._video_owner(value)
        name = quote(value, safe="@")
        paths = [f"/{name}"] if reference.kind == "handle" else [f"/user/{name}", f"/c/{name}"]
        for path in paths:
            response = await self._page(path)
            if response.status in _GONE:
                continue
            found = pages.channel_of_channel_page(response.body)
            if found:
                return found
            raise _unreadable(path)
        raise ChannelNotFound(f"YouTube has no channel {value}.")

    async def _video_owner(self, video_id: str) -> str:
        response = await self._page("/watch", {"v": video_id})
        if response.status in _GONE or pages.is_without_video(response.body):
            raise ChannelNotFound(f"YouTube shows no video {video_id}. Name its channel instead.")
        found = pages.channel_of_video_page(response.body)
        if not found:
            raise _unreadable("/watch")
        return found

    async def _page(self, path: str, params: Mapping[str, str] | None = None) -> Response:
        """Return a page, at its beginning when it is very long; also one that is not there."""
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._http.get(
                path, params, headers=_LANGUAGE, max_bytes=_MAX_PAGE_BYTES
            )
            if response.status == _OK or response.status in _GONE:
                return response
            path, params = self._redirected(response, path), None
        raise _unreadable(path)

    def _redirected(self, response: Response, path: str) -> str:
        """Return the path of a redirect on the same host.

        Raises:
            SourceUnavailable: The response is no redirect but a failure.
            SourceRefused: It leads elsewhere, as to the page that asks for consent to cookies.
        """
        location = response.headers.get("location")
        if not location or not 300 <= response.status < 400:
            raise _failed(response)
        base = self._http.base_url
        try:
            target = base.join(path).join(location)
        except httpx2.InvalidURL:
            raise _failed(response) from None
        if (target.scheme, target.host, target.port) != (base.scheme, base.host, base.port):
            log.warning("youtube_redirects_elsewhere", path=path, host=target.host)
            raise SourceRefused(
                f"YouTube sends this machine to {target.host} instead of the channel's page. Name "
                "the channel by its id (UC…), or set an API key."
            )
        return target.raw_path.decode("ascii")

    async def _feed(self, channel_id: str) -> _Feed:
        response = await self._http.get(
            "/feeds/videos.xml", {"channel_id": channel_id}, max_bytes=_MAX_FEED_BYTES
        )
        if response.status in _GONE:
            raise ChannelNotFound(f"YouTube has no channel {channel_id}, or it is gone.")
        if response.status != _OK or not response.is_whole:
            raise _failed(response)
        try:
            return _parsed(response.body, channel_id)
        except (ParseError, DefusedXmlException, ValueError, OverflowError) as error:
            log.warning("youtube_feed_unreadable", channel_id=channel_id, error=str(error))
            raise _unreadable("/feeds/videos.xml") from error

    def _keep(self, channel_id: str, feed: _Feed) -> None:
        self._read[channel_id] = {video.video_id: video for video in feed.videos}
        self._read.move_to_end(channel_id)
        if len(self._read) > _MAX_CHANNELS:
            self._read.popitem(last=False)


def _failed(response: Response) -> SourceUnavailable:
    log.warning("youtube_error", status=response.status, bytes=len(response.body))
    return SourceUnavailable("YouTube does not answer now.", retry_after=response.retry_after)


def _unreadable(path: str) -> SourceUnavailable:
    return SourceUnavailable(f"YouTube answers {path} with something that cannot be read.")


def _parsed(body: bytes, channel_id: str) -> _Feed:
    root: Element = ElementTree.fromstring(body, forbid_dtd=True)
    if root.tag != f"{{{_NAMES['']}}}feed":
        raise ValueError(f"the root is {root.tag[:100]}")
    videos = (_video(entry, channel_id) for entry in root.iterfind("entry", _NAMES))
    return _Feed(_text(root, "title"), tuple(videos))


def _video(entry: Element, channel_id: str) -> SourceVideo:
    statistics = entry.find("media:group/media:community/media:statistics", _NAMES)
    views = "" if statistics is None else statistics.get("views", "")
    published_at = datetime.fromisoformat(_text(entry, "published"))
    if published_at.tzinfo is None:
        raise ValueError("a date has no time zone")
    return SourceVideo(
        video_id=_text(entry, "yt:videoId"),
        channel_id=channel_id,
        title=_text(entry, "title"),
        description=_text(entry, "media:group/media:description", required=False),
        published_at=published_at.astimezone(UTC),
        category_number=None,
        duration_seconds=None,
        views=int(views) if _VIEWS.fullmatch(views) else None,
        language=None,
        declares_placement=None,
    )


def _text(parent: Element, path: str, *, required: bool = True) -> str:
    found = parent.find(path, _NAMES)
    if found is None and required:
        raise ValueError(f"<{parent.tag[:100]}> has no {path}")
    return (found.text if found is not None else None) or ""
