"""Run one import from its checkpoint, page by page, to one of its last states."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from import_worker.domain import messages
from import_worker.domain.imports import MAX_RESTARTS, Import
from import_worker.domain.ports import Clock, StoreUnavailable
from import_worker.domain.sources import (
    ChannelNotFound,
    PageExpired,
    Reference,
    Source,
    SourceQuotaUsedUp,
    SourceRefused,
    SourceUnavailable,
    SourceVideo,
)
from import_worker.jobs import metrics
from import_worker.jobs.channel_crawler import ChannelCrawler
from import_worker.jobs.import_recorder import ImportRecorder, Superseded
from import_worker.jobs.policy import LONGEST_WAIT_SECONDS, Policy
from import_worker.jobs.removed_videos import RemovedVideos
from servicekit.errors import ServiceError
from servicekit.observability import logs

_UNKNOWN_CAUSE: Final = "Something went wrong on our side."
_LONGEST_IMPORT: Final = timedelta(days=30)
"""Age at which an import no longer waits for the source's quota."""
_QUOTA_WAIT: Final = 3_600.0
_QUOTA_SPREAD: Final = 60.0

log = logs.get(__name__)


class ImportRunner:
    """The work of the job `run_import`."""

    def __init__(
        self,
        recorder: ImportRecorder,
        source: Source,
        crawler: ChannelCrawler,
        removed_videos: RemovedVideos,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._recorder = recorder
        self._source = source
        self._crawler = crawler
        self._removed_videos = removed_videos
        self._policy = policy
        self._clock = clock

    async def run(self, import_id: str) -> None:
        """Run an import until it ends, waits, or is taken over.

        Raises:
            StoreUnavailable: Our own database is away; the same job may be run again.
        """
        import_ = await self._recorder.begin(import_id)
        if import_ is None:
            return
        try:
            await self._work(import_)
        except Superseded:
            metrics.IMPORT_RUNS.labels("superseded").inc()
            log.info("import_superseded", import_id=import_id)
        except StoreUnavailable:
            raise
        except asyncio.CancelledError as error:
            if _is_cancelled():
                with suppress(Superseded):
                    await self._recorder.record(import_, Import.requeued)
                raise
            # Libraries end a call of theirs so; to take it for a wish would be to try again at once.
            log.exception("import_failed", import_id=import_id)
            await self._settle(import_, error)
        except ServiceError as error:
            await self._settle(import_, error)
        except Exception as error:  # an import must not stay running for ever
            log.exception("import_failed", import_id=import_id)
            await self._settle(import_, error)

    async def _work(self, import_: Import) -> None:
        try:
            found = await self._source.resolve(Reference("channel_id", import_.channel_id))
        except ChannelNotFound:
            await self._removed_videos.remove_all(import_)
            raise
        channel = replace(found, handle=found.handle or _handle(import_.reference))
        import_ = await self._recorder.record(
            import_, lambda now: replace(now, title=channel.title, source=self._source.name)
        )

        async def read_unlisted(now: Import, videos: Sequence[SourceVideo]) -> Import:
            if now.bounds.max_videos is not None:
                return now
            return await self._crawler.read_unlisted(now, channel, videos)

        while not import_.has_ended:
            import_ = await self._crawler.run(import_, channel)
            bounds = import_.bounds  # what was read; more may be asked for from here on
            if not import_.has_ended:
                import_ = await self._removed_videos.remove(import_, read_unlisted)
            if import_.has_ended or not await self._crawler.read_again(import_, channel):
                return
            read = replace(import_, bounds=bounds)
            import_ = await self._recorder.finish(read, is_partial=self._source.is_partial)

    async def _settle(self, import_: Import, error: BaseException) -> None:
        """Decide on retry or failure of the import after an error."""
        why = error.public_message if isinstance(error, ServiceError) else _UNKNOWN_CAUSE
        reason = error.reason if isinstance(error, ServiceError) else type(error).__name__
        for_good = isinstance(error, ChannelNotFound | SourceRefused)
        counts = not isinstance(error, SourceQuotaUsedUp)

        def change(now: Import) -> Import:
            at = self._clock()
            if now.cancel_requested_at is not None:
                return now
            if isinstance(error, PageExpired):
                return self._begun_again(now.page_expired(), at)
            if for_good or (not counts and at - (now.started_at or at) > _LONGEST_IMPORT):
                return now.failed(at, why, reason)
            if counts and now.attempts + 1 >= self._policy.max_attempts:
                tried = messages.gave_up(why, now.attempts + 1)
                return replace(now.failed(at, tried, reason), attempts=now.attempts + 1)
            wait = self._wait(error, now.attempts + 1)
            return now.waiting(at + wait, why, counts=counts)

        with suppress(Superseded):
            settled = await self._recorder.record(import_, change)
            log.warning(
                "import_interrupted",
                import_id=import_.import_id,
                state=settled.state,
                reason=reason,
                attempts=settled.attempts,
            )

    def _begun_again(self, again: Import, at: datetime) -> Import:
        """Return an import that goes on at its first page after a pause, or has done so too often."""
        if again.restarts > MAX_RESTARTS:
            why = messages.list_keeps_changing(MAX_RESTARTS)
            return again.failed(at, why, SourceUnavailable.default_reason)
        pause = self._policy.backoff.seconds(again.restarts, self._policy.chance())
        return again.waiting(at + timedelta(seconds=pause), messages.LIST_CHANGED, counts=False)

    def _wait(self, error: BaseException, attempt: int) -> timedelta:
        chance = self._policy.chance()
        stated = error.retry_after if isinstance(error, ServiceError) else None
        if isinstance(error, SourceQuotaUsedUp):
            # Not all at the same moment when the day's units are new.
            seconds = (stated or _QUOTA_WAIT) + chance * _QUOTA_SPREAD
        else:
            seconds = max(self._policy.backoff.seconds(attempt, chance), stated or 0.0)
        return timedelta(seconds=min(seconds, LONGEST_WAIT_SECONDS))


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _handle(reference: str) -> str | None:
    return reference if reference.startswith("@") else None
