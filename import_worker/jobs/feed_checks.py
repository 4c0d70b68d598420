"""The periodic job that finds new videos of followed channels in their feeds, which cost no units."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

from import_worker.domain.channel_names import new_import, unread
from import_worker.domain.imports import Bounds
from import_worker.domain.ports import (
    Clock,
    FeedCheck,
    ImportTransactions,
    KnownChannel,
    StoreUnavailable,
)
from import_worker.domain.sources import ChannelNotFound, Source, SourceUnavailable, Upload
from import_worker.jobs.policy import Policy
from servicekit.errors import ServiceError
from servicekit.observability import logs

_AT_ONCE: Final = 100
_MAX_SILENT: Final = 3
"""Feeds in a row that do not respond, after which the rest waits for the next run."""
_RETRY: Final = timedelta(minutes=15)
"""After which a feed that was not read is due again."""
_CHANNEL_SECONDS: Final = 60.0
"""How long the check of one channel may take."""

_GRACE: Final = timedelta(days=1)
"""Age before the last import up to which an unknown video is new: a feed may be behind the channel."""

_NO_FEED: Final = "YouTube has no feed of this channel now."
_UNKNOWN_CAUSE: Final = "Something went wrong on our side."

log = logs.get(__name__)


class FeedChecks:
    """The work of the job `check_feeds`.

    Args:
        feed: The source that costs no units.
        source_name: The source that imports read.
        has_spare_units: Tells whether imports that nobody asked for may take units now.
    """

    def __init__(
        self,
        open_store: ImportTransactions,
        feed: Source,
        source_name: str,
        has_spare_units: Callable[[], Awaitable[bool]],
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._open = open_store
        self._feed = feed
        self._source_name = source_name
        self._has_spare_units = has_spare_units
        self._policy = policy
        self._clock = clock

    async def check(self) -> int:
        """Check the feeds that are due, accounts in turn; return how many imports have begun."""
        if not self._policy.follow or not await self._has_spare_units():
            return 0
        async with self._open() as store:
            channels = await store.unchecked(self._clock(), _AT_ONCE)
        begun = silent = 0
        for channel in channels:
            try:
                async with asyncio.timeout(_CHANNEL_SECONDS):
                    begun += await self._check(channel)
                silent = 0
            except StoreUnavailable:
                raise
            except SourceUnavailable as error:
                await self._put_off(channel, error.public_message)
                silent += 1
                if silent == _MAX_SILENT:
                    log.warning("feeds_silent", due=len(channels))
                    break
            except Exception:  # one channel must not keep the others waiting for ever
                error_id = secrets.token_hex(6)
                log.exception("feed_check_failed", channel_id=channel.channel_id, error_id=error_id)
                await self._put_off(channel, _UNKNOWN_CAUSE)
        if begun:
            log.info("feeds_checked", channels=len(channels), imports=begun)
        return begun

    async def _put_off(self, channel: KnownChannel, problem: str) -> None:
        """Have a feed that was not read be due again soon, behind those that were not tried yet."""
        now = self._clock()
        check = FeedCheck(now, now + min(_RETRY, self._policy.follow), problem)
        async with self._open() as store:
            await store.checked(channel.channel_id, check)

    async def _check(self, channel: KnownChannel) -> bool:
        """Check one feed; return whether an import of its channel has begun."""
        uploads, problem = await self._uploads(channel)
        now = self._clock()
        async with self._open() as store:
            check = FeedCheck(now, now + self._policy.follow, problem)
            await store.checked(channel.channel_id, check)
            stored = await store.videos.stored([upload.video_id for upload in uploads])
            bounds = _bounds(channel, uploads, {video.video.video_id for video in stored})
            if bounds is None:
                return False
            known = unread(channel.channel_id, channel.title)
            import_ = new_import(known, channel.reference, self._source_name, bounds, now)
            if not await store.add(import_):
                return False
            await store.jobs.run_import(import_)
            return True

    async def _uploads(self, channel: KnownChannel) -> tuple[Sequence[Upload], str | None]:
        """Return what the feed shows, or why it shows nothing: a feed that refuses is due again as any other."""
        try:
            known = unread(channel.channel_id, channel.title)
            return (await self._feed.uploads(known, None)).uploads, None
        except SourceUnavailable:
            raise
        except ChannelNotFound:
            return (), _NO_FEED
        except ServiceError as error:
            log.warning("feed_refused", channel_id=channel.channel_id, reason=error.reason)
            return (), error.public_message


def _bounds(channel: KnownChannel, uploads: Sequence[Upload], stored: set[str]) -> Bounds | None:
    """Return the videos to import: down to the oldest new one, all if the feed has no known one; None without a new one.

    Videos from before the last import are not new: the import has left them out.
    """
    since = channel.last_import_at - _GRACE
    new = [
        position
        for position, upload in enumerate(uploads, start=1)
        if upload.video_id not in stored
        and (upload.published_at is None or upload.published_at > since)
    ]
    if not new:
        return None
    return Bounds() if len(new) == len(uploads) else Bounds(max_videos=new[-1])
