"""The shapes of the Data API's answers."""

from datetime import UTC, datetime
from typing import Any, Final

from devstack.youtube.catalogue import MadeChannel, MadeVideo

Json = dict[str, Any]

_ETAG: Final = "made"


def instant(at: datetime) -> str:
    """Return an instant as YouTube writes it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def listing(kind: str, items: list[Json], total: int, per_page: int) -> Json:
    """Return a list; YouTube leaves `items` out when there are none."""
    payload: Json = {
        "kind": f"youtube#{kind}ListResponse",
        "etag": _ETAG,
        "pageInfo": {"totalResults": total, "resultsPerPage": per_page},
    }
    return payload | ({"items": items} if items else {})


def channel(made: MadeChannel) -> Json:
    """Return a channel with all parts."""
    snippet: Json = {
        "title": made.title,
        "description": made.description,
        "publishedAt": made.published_at,
        "thumbnails": _thumbnails(made.channel_id),
        "localized": {"title": made.title, "description": made.description},
    }
    if made.handle:
        snippet["customUrl"] = made.handle.lower()
    if made.country:
        snippet["country"] = made.country
    statistics: Json = {
        "viewCount": str(sum(video.views or 0 for video in made.videos)),
        "hiddenSubscriberCount": made.subscribers is None,
        "videoCount": str(len(made.public())),
    }
    if made.subscribers is not None:
        statistics["subscriberCount"] = str(made.subscribers)
    return {
        "kind": "youtube#channel",
        "etag": _ETAG,
        "id": made.channel_id,
        "snippet": snippet,
        "statistics": statistics,
        "contentDetails": {"relatedPlaylists": {"likes": "", "uploads": made.uploads}},
    }


def upload(made: MadeChannel, video: MadeVideo, position: int) -> Json:
    """Return an entry of the uploads; of a private or deleted video little more than its id is told."""
    is_public = video.privacy == "public"
    content: Json = {"videoId": video.video_id}
    if is_public:
        content["videoPublishedAt"] = instant(video.published_at)
    return {
        "kind": "youtube#playlistItem",
        "etag": _ETAG,
        "id": f"{made.uploads}.{video.video_id}",
        "snippet": {
            "publishedAt": instant(video.published_at),
            "channelId": made.channel_id,
            "title": video.title if is_public else f"{video.privacy.title()} video",
            "description": video.description if is_public else "This video is unavailable.",
            "channelTitle": made.title,
            "playlistId": made.uploads,
            "position": position,
            "resourceId": {"kind": "youtube#video", "videoId": video.video_id},
            "videoOwnerChannelId": made.channel_id,
            "videoOwnerChannelTitle": made.title,
        },
        "contentDetails": content,
        "status": {"privacyStatus": "public" if is_public else "private"},
    }


def video(owner: MadeChannel, made: MadeVideo) -> Json:
    """Return a video with all parts."""
    snippet: Json = {
        "publishedAt": instant(made.published_at),
        "channelId": owner.channel_id,
        "title": made.title,
        "description": made.description,
        "thumbnails": _thumbnails(made.video_id),
        "channelTitle": owner.title,
        "categoryId": made.category,
        "liveBroadcastContent": "none" if made.broadcast == "ended" else made.broadcast,
        "localized": {"title": made.title, "description": made.description},
    }
    if made.language:
        snippet["defaultAudioLanguage"] = made.language
    payload: Json = {
        "kind": "youtube#video",
        "etag": _ETAG,
        "id": made.video_id,
        "snippet": snippet,
        "contentDetails": {
            "duration": made.duration,
            "dimension": "2d",
            "definition": "hd",
            "caption": "false",
            "licensedContent": False,
            "contentRating": {},
            "projection": "rectangular",
        },
        "status": {
            "uploadStatus": "processed",
            "privacyStatus": made.privacy,
            "license": "youtube",
            "embeddable": True,
            "publicStatsViewable": True,
            "madeForKids": False,
        },
        "statistics": {"favoriteCount": "0"},
    }
    counts = {"viewCount": made.views, "likeCount": made.likes, "commentCount": made.comments}
    payload["statistics"] |= {
        name: str(count) for name, count in counts.items() if count is not None
    }
    if made.broadcast != "none":
        payload["liveStreamingDetails"] = _streaming(made)
    if made.placement is not None:
        payload["paidProductPlacementDetails"] = {"hasPaidProductPlacement": made.placement}
    return payload


def _streaming(made: MadeVideo) -> Json:
    """Return the times of a broadcast or premiere, as far as it has come."""
    times: Json = {"scheduledStartTime": instant(made.published_at)}
    if made.broadcast in ("live", "ended"):
        times["actualStartTime"] = instant(made.published_at)
    if made.broadcast == "ended":
        times["actualEndTime"] = instant(made.published_at)
    return times


def error(status: int, reason: str, message: str = "") -> Json:
    """Return the envelope of every refusal."""
    text = message or f"The request was refused: {reason}."
    payload: Json = {
        "error": {
            "code": status,
            "message": text,
            "errors": [{"message": text, "domain": "youtube", "reason": reason}],
        }
    }
    if (
        reason == "keyInvalid"
    ):  # the key is checked by Google's newer front, whose reasons are its own
        payload["error"]["errors"] = [{"message": text, "domain": "global", "reason": "badRequest"}]
        payload["error"]["status"] = "INVALID_ARGUMENT"
        payload["error"]["details"] = [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
                "metadata": {"service": "youtube.googleapis.com"},
            }
        ]
    return payload


def _thumbnails(name: str) -> Json:
    return {
        "default": {"url": f"https://i.ytimg.com/vi/{name}/default.jpg", "width": 120, "height": 90}
    }
