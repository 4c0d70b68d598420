"""Channels and videos by YouTube's Data API v3.

A page of anything costs one unit of the day. Nothing is tried twice here: the jobs do that. The key
travels in a header, so that it is in no URL and thereby in no log.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from import_worker.clients import youtube_wire as wire
from import_worker.clients.youtube_http import Response, YouTubeHttp
from import_worker.clients.youtube_quota import Quota
from import_worker.domain.sources import (
    MAX_VIDEOS,
    Channel,
    ChannelNotFound,
    PageExpired,
    Reference,
    SourceRefused,
    SourceUnavailable,
    SourceVideo,
    UploadPage,
)
from servicekit.errors import ServiceError
from servicekit.observability import logs

PAGE_SIZE: Final = 50

_COST: Final = 1
_MAX_BYTES: Final = 16 * 1024 * 1024
_UNAVAILABLE_FROM: Final = 500
_OK: Final = 200
_TOO_MANY: Final = 429

_CHANNEL_FIELDS: Final = (
    "items(id,snippet(title,description,customUrl,country),"
    "statistics(subscriberCount,videoCount,hiddenSubscriberCount),"
    "contentDetails/relatedPlaylists/uploads)"
)
_UPLOAD_FIELDS: Final = (
    "nextPageToken,pageInfo/totalResults,"
    "items(contentDetails(videoId,videoPublishedAt),status/privacyStatus)"
)
_VIDEO_FIELDS: Final = (
    "items(id,snippet(channelId,publishedAt,title,description,categoryId,defaultAudioLanguage,"
    "liveBroadcastContent),contentDetails/duration,"
    "statistics(viewCount,likeCount,commentCount),liveStreamingDetails/actualStartTime,"
    "paidProductPlacementDetails/hasPaidProductPlacement)"
)
_DAY_IS_FULL: Final = frozenset({"quotaExceeded", "dailyLimitExceeded"})
_TOO_FAST: Final = frozenset(
    {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "backendError"}
)
_GONE: Final = frozenset(
    {"playlistNotFound", "channelNotFound", "channelClosed", "channelSuspended"}
)
_KEY_IS_WRONG: Final = frozenset({"keyInvalid", "keyExpired", "API_KEY_INVALID"})
_KEY_IS_BARRED: Final = frozenset(
    {"forbidden", "accessNotConfigured", "ipRefererBlocked", "SERVICE_DISABLED"}
)

log = logs.get(__name__)

R = TypeVar("R", bound=Struct)


class YouTubeApi:
    """`Source` over the Data API.

    Args:
        http: Bound to the API's host.
        key: The operator's API key.
        quota: The day's units.
    """

    name = "youtube-api"
    is_partial = False

    def __init__(self, http: YouTubeHttp, key: str, quota: Quota) -> None:
        self._http = http
        self._headers = {"X-Goog-Api-Key": key, "Accept": "application/json"}
        self._quota = quota

    async def resolve(self, reference: Reference) -> Channel:
        """Return the channel that is meant; a video costs a unit more."""
        if reference.kind == "video_id":
            return await self._channel("id", await self._owner(reference.value), reference)
        parameters = {"channel_id": "id", "handle": "forHandle", "username": "forUsername"}
        return await self._channel(parameters[reference.kind], reference.value, reference)

    async def uploads(self, channel: Channel, page: str | None) -> UploadPage:
        """At most 50 uploads. Channels that never had any have no playlist of them either."""
        params = {
            "part": "contentDetails,status",
            "playlistId": channel.uploads,
            "maxResults": str(PAGE_SIZE),
            "fields": _UPLOAD_FIELDS,
        }
        if page is not None:
            params["pageToken"] = page
        try:
            return wire.upload_page(await self._get("playlistItems", params, wire.UploadList))
        except ChannelNotFound:
            if channel.video_count == 0:
                return UploadPage((), None, 0)
            raise

    async def videos(self, video_ids: Sequence[str]) -> Sequence[SourceVideo]:
        """Return the videos that there are; asking for none costs nothing.

        Raises:
            ValueError: They are more than 50.
        """
        if len(video_ids) > MAX_VIDEOS:
            raise ValueError(f"{len(video_ids)} videos were asked for; {MAX_VIDEOS} are allowed")
        if not video_ids:
            return ()
        params = {
            "part": "snippet,contentDetails,statistics,liveStreamingDetails,paidProductPlacementDetails",
            "id": ",".join(video_ids),
            "fields": _VIDEO_FIELDS,
        }
        response = await self._get("videos", params, wire.VideoList)
        return wire.videos(response)

    async def _owner(self, video_id: str) -> str:
        params = {"part": "snippet", "id": video_id, "fields": "items/snippet/channelId"}
        response = await self._get("videos", params, wire.OwnerList)
        if not response.items:
            raise ChannelNotFound(f"YouTube shows no video {video_id}. Name its channel instead.")
        return response.items[0].snippet.channel_id

    async def _channel(self, parameter: str, value: str, reference: Reference) -> Channel:
        params = {
            "part": "snippet,statistics,contentDetails",
            parameter: value,
            "fields": _CHANNEL_FIELDS,
        }
        response = await self._get("channels", params, wire.ChannelList)
        if not response.items:
            advice = " Give its @handle." if reference.kind == "username" else ""
            raise ChannelNotFound(f"YouTube has no channel {reference.value}.{advice}")
        return wire.channel(response.items[0])

    async def _get(self, resource: str, params: Mapping[str, str], kind: type[R]) -> R:
        await self._quota.spend(_COST)
        response = await self._http.get(
            f"/youtube/v3/{resource}", params, headers=self._headers, max_bytes=_MAX_BYTES
        )
        if response.status != _OK:
            raise await self._error(resource, response)
        try:
            if response.is_whole:
                return wire.decode(response.body, kind)
            log.warning("youtube_response_too_large", resource=resource)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            log.warning("youtube_response_unreadable", resource=resource, error=str(error))
        raise SourceUnavailable("YouTube answers with something that cannot be read.")

    async def _error(self, resource: str, response: Response) -> ServiceError:
        failure = wire.failure(response.body)
        reason = failure.reason if failure else ""
        log.warning("youtube_error", resource=resource, status=response.status, reason=reason)
        if reason in _DAY_IS_FULL or (failure and failure.is_of_the_day):
            return await self._quota.fill()
        if (
            reason in _TOO_FAST
            or response.status == _TOO_MANY
            or response.status >= _UNAVAILABLE_FROM
            or failure is None
        ):
            return SourceUnavailable(
                "YouTube does not answer now.", retry_after=response.retry_after
            )
        if reason == "invalidPageToken":
            return PageExpired("YouTube no longer takes this page token. Begin at the first page.")
        if reason in _GONE:
            return ChannelNotFound("YouTube has no such channel, or it is gone.")
        return _refusal(reason, response.status)


def _refusal(reason: str, status: int) -> SourceRefused:
    """Return the sentence for the operator."""
    if reason in _KEY_IS_WRONG:
        advice = "Set a valid API key."
    elif reason in _KEY_IS_BARRED:
        advice = (
            "Enable the YouTube Data API v3 in the key's project, and let the key be used for it "
            "from here."
        )
    else:
        advice = "This is a fault of the program: report it."
    return SourceRefused(f"YouTube refuses the question ({reason or status}). {advice}")
