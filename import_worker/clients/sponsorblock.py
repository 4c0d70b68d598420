"""Sponsors' segments of videos, as the viewers of SponsorBlock marked them.

A video is asked for by the first four digits of its id's hash, which hundreds of others share, so that
nobody is told which one is meant. The data are under CC BY-NC-SA 4.0. Nothing here fails: without an
answer there are no segments, and after a failure nobody is asked for a while.
"""

import asyncio
import hashlib
import json
import math
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

import httpx2
import msgspec
from msgspec import Struct

from import_worker.domain.segments import Segment
from import_worker.domain.sources import SourceVideo
from servicekit.http.responses import read_limited, retry_after_seconds
from servicekit.observability import logs

LICENCE: Final = "CC BY-NC-SA 4.0"
MAX_BYTES: Final = 2 * 1024 * 1024
REST_SECONDS: Final = 60.0

_MAX_REST_SECONDS: Final = 3_600.0
_PREFIX: Final = 4
_AT_ONCE: Final = 4
_MAX_SEGMENTS: Final = 50
_MAX_SECOND: Final = 7 * 86_400
_SAME_LENGTH: Final = 5.0
"""Seconds by which a video's length may differ from the one that was marked; a further one was cut anew."""
_CATEGORY: Final = "sponsor"
_ACTIONS: Final = ("skip", "mute")
_OK: Final = 200
_NOT_FOUND: Final = 404
_PARAMS: Final = {"category": _CATEGORY, "actionTypes": json.dumps(_ACTIONS)}

log = logs.get(__name__)


class _Segment(Struct, frozen=True, rename={"duration": "videoDuration", "action": "actionType"}):
    segment: tuple[float, float]
    category: str = ""
    action: str = "skip"
    duration: float = 0.0


class _Video(Struct, frozen=True, rename={"video_id": "videoID"}):
    video_id: str
    segments: tuple[_Segment, ...] = ()


class _RequestFailed(Exception):  # noqa: N818 - no error of the import's
    """There is no answer; `rest` is the time for which the service wants none of our requests."""

    def __init__(self, why: str, rest: float = REST_SECONDS) -> None:
        super().__init__(why)
        self.rest = rest


class SponsorBlock:
    """`SegmentLookup` over SponsorBlock's API.

    Args:
        http: Bound to the base URL.
        timeout: Seconds that all requests for one batch of videos may take together.
        clock: Seconds of a monotonic clock.
    """

    def __init__(
        self,
        http: httpx2.AsyncClient,
        timeout: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = http
        self._timeout = timeout
        self._clock = clock
        self._rests_until = -math.inf

    async def segments(self, videos: Sequence[SourceVideo]) -> Mapping[str, tuple[Segment, ...]]:
        """Return the segments of videos by their ids; videos without an answer are left out."""
        found: dict[str, tuple[Segment, ...]] = {}
        if self._clock() < self._rests_until:
            return found
        by_prefix: dict[str, list[SourceVideo]] = {}
        for video in videos:
            by_prefix.setdefault(_prefix(video.video_id), []).append(video)
        slots = asyncio.Semaphore(_AT_ONCE)

        async def look_up(prefix: str, wanted: Sequence[SourceVideo]) -> None:
            async with slots:
                marked = await self._marked(prefix)
            for video in wanted:
                found[video.video_id] = _segments(marked.get(video.video_id, ()), video)

        try:
            async with asyncio.timeout(self._timeout), asyncio.TaskGroup() as group:
                for prefix, wanted in by_prefix.items():
                    group.create_task(look_up(prefix, wanted))
        except* TimeoutError:
            self._rest("no answer in time", REST_SECONDS)
        except* _RequestFailed as failures:
            first = next(
                error for error in failures.exceptions if isinstance(error, _RequestFailed)
            )
            self._rest(str(first), first.rest)
        return found

    def _rest(self, why: str, seconds: float) -> None:
        self._rests_until = self._clock() + seconds
        log.warning("sponsorblock_unavailable", error=why, rest_seconds=seconds)

    async def _marked(self, prefix: str) -> Mapping[str, tuple[_Segment, ...]]:
        try:
            async with self._http.stream(
                "GET", f"/api/skipSegments/{prefix}", params=_PARAMS
            ) as response:
                if response.status_code == _NOT_FOUND:
                    return {}
                if response.status_code != _OK:
                    raise _RequestFailed(f"status {response.status_code}", _stated_rest(response))
                body = await read_limited(response.aiter_bytes(), MAX_BYTES)
            if not body.is_whole:
                raise _RequestFailed("a response that is too large")
            videos = msgspec.json.decode(body.content, type=tuple[_Video, ...])
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            raise _RequestFailed(type(error).__name__) from error
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise _RequestFailed("a response that cannot be read") from error
        return {video.video_id: video.segments for video in videos}


@asynccontextmanager
async def open_sponsorblock(base_url: str, timeout_seconds: float) -> AsyncGenerator[SponsorBlock]:
    """SponsorBlock's API at `base_url` for as long as the block runs; redirects are not followed."""
    async with httpx2.AsyncClient(
        base_url=base_url,
        timeout=httpx2.Timeout(timeout_seconds),
        limits=httpx2.Limits(max_connections=_AT_ONCE),
        headers={"Accept": "application/json"},
        follow_redirects=False,
    ) as http:
        yield SponsorBlock(http, timeout_seconds)


def _prefix(video_id: str) -> str:
    return hashlib.sha256(video_id.encode("utf-8", "surrogatepass")).hexdigest()[:_PREFIX]


def _segments(marked: Sequence[_Segment], video: SourceVideo) -> tuple[Segment, ...]:
    """Return the sponsors' segments of the video as it is now, in their order."""
    found: set[Segment] = set()
    for item in marked:
        start, end = item.segment
        if (
            item.category == _CATEGORY
            and item.action in _ACTIONS
            and 0 <= start < end <= _MAX_SECOND
            and _is_same_length(item.duration, video.duration_seconds)
        ):
            found.add(Segment(math.floor(start), math.ceil(end), "sponsorblock"))
    ordered = sorted(found, key=lambda segment: (segment.start, segment.end or 0))
    return tuple(ordered[:_MAX_SEGMENTS])


def _is_same_length(marked: float, present: int | None) -> bool:
    return not marked or present is None or abs(marked - present) <= _SAME_LENGTH


def _stated_rest(response: httpx2.Response) -> float:
    stated = retry_after_seconds(response.headers.get("retry-after", ""), datetime.now(UTC))
    return min(max(stated or 0.0, REST_SECONDS), _MAX_REST_SECONDS)
