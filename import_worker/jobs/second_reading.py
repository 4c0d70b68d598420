"""The step after detection: a second reader decides on what the rules are unsure of.

Whatever goes wrong, the rules' result stays: an import neither fails nor waits for a reader that is away.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from import_worker.detector import ChannelContext, Detection, bundled_directory
from import_worker.detector.brand_names import resembles
from import_worker.detector.hosts import NEVER_A_BRAND
from import_worker.domain.keys import slug_of
from import_worker.domain.ports import Clock, ImportTransactions
from import_worker.domain.reader_checks import MentionChecker
from import_worker.domain.reader_decisions import Decision, decide
from import_worker.domain.second_reader import (
    CheckedMention,
    Mention,
    ReaderError,
    ReaderPolicy,
    ReaderText,
    ReaderUnavailableError,
    ResponseUnusableError,
    SecondReader,
    reader_text,
)
from import_worker.jobs import reader_metrics as metrics
from import_worker.jobs.proposals import Proposal, ProposedVideo
from servicekit.observability import logs

_PAUSE: Final = 60.0
_MAX_PAUSE: Final = 3_600.0
_MAX_DOUBLINGS: Final = 8
_MAX_WAIT: Final = 30.0
_MAX_REASON: Final = 500
_CHANCE: Final = 0.5

Result = Literal["requested", "cached", "failed", "paused", "over_budget"]

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class _Pending:
    text: ReaderText
    key: str


class SecondReading:
    """`Review` by a reader outside.

    Args:
        open_store: Stores of responses and of budgets.
        reader: The reader.
        policy: The operator's choices.
        clock: The present moment.
    """

    def __init__(
        self,
        open_store: ImportTransactions,
        reader: SecondReader,
        policy: ReaderPolicy,
        clock: Clock,
    ) -> None:
        self._open = open_store
        self._reader = reader
        self._policy = policy
        self._clock = clock
        self._slots = asyncio.Semaphore(policy.concurrency)
        self._checker = MentionChecker(bundled_directory(), NEVER_A_BRAND.__contains__)
        self._paused_until = datetime.min.replace(tzinfo=UTC)
        self._failures = 0

    async def review(
        self,
        channel_id: str,
        videos: Sequence[ProposedVideo],
        context: ChannelContext,
        *,
        stored_only: bool = False,
    ) -> Sequence[ProposedVideo]:
        """Return the videos, those with unsure candidates as the reader decided.

        With `stored_only` no text is sent: what was not read before stays as the rules have it.
        """
        pending = {
            video.video.video_id: self._pending(video) for video in videos if self._is_unsure(video)
        }
        if not pending:
            return videos
        mentions = await self._stored(list(pending.values()))
        if not stored_only:
            mentions |= await self._requested_all(channel_id, list(pending.values()), mentions)
        return [
            self._decided(video, pending[video.video.video_id].text, mentions, context)
            if video.video.video_id in pending
            else video
            for video in videos
        ]

    def _is_unsure(self, video: ProposedVideo) -> bool:
        return any(
            self._policy.is_unsure(proposal.detection.confidence) for proposal in video.proposals
        )

    def _pending(self, video: ProposedVideo) -> _Pending:
        text = reader_text(video.video.title, video.video.description)
        return _Pending(text, text.cache_key(self._reader.name, self._reader.prompt_version))

    async def _stored(self, pending: Sequence[_Pending]) -> dict[str, tuple[Mention, ...]]:
        """Return the stored mentions in texts by their keys."""
        async with self._open() as store:
            stored = dict(await store.reader.responses(list({item.key for item in pending})))
        metrics.READER_VIDEOS.labels("cached").inc(sum(item.key in stored for item in pending))
        return stored

    async def _requested_all(
        self, channel_id: str, pending: Sequence[_Pending], stored: Mapping[str, object]
    ) -> dict[str, tuple[Mention, ...]]:
        """Return the mentions in all other texts by their keys; without those that nobody has read."""
        missing = {item.key: item.text for item in pending if item.key not in stored}
        fresh = await asyncio.gather(
            *(self._fresh(channel_id, key, text) for key, text in missing.items()),
            return_exceptions=True,
        )
        mentions: dict[str, tuple[Mention, ...]] = {}
        for key, found in zip(missing, fresh, strict=True):
            if isinstance(found, BaseException):
                raise found
            if found is not None:
                mentions[key] = found
        return mentions

    async def _fresh(
        self, channel_id: str, key: str, text: ReaderText
    ) -> tuple[Mention, ...] | None:
        async with self._slots:
            mentions, result = await self._requested(channel_id, text)
        metrics.READER_VIDEOS.labels(result).inc()
        if mentions is not None:
            async with self._open() as store:
                await store.reader.save_response(key, self._reader.name, mentions, self._clock())
        return mentions

    async def _requested(
        self, channel_id: str, text: ReaderText
    ) -> tuple[tuple[Mention, ...] | None, Result]:
        for attempt in range(1, self._policy.max_attempts + 1):
            if self._clock() < self._paused_until:
                return None, "paused"
            if not await self._reserve(channel_id):
                return None, "over_budget"
            try:
                response = await self._reader.read(text)
            except ReaderError as error:
                metrics.READER_REQUESTS.labels(error.outcome).inc()
                wait = self._wait(error, attempt)
                if wait is None:
                    self._give_up(error)
                    return None, "failed"
                await asyncio.sleep(wait)
                continue
            self._failures = 0
            metrics.READER_REQUESTS.labels("ok").inc()
            metrics.READER_TOKENS.labels("prompt").inc(response.prompt_tokens)
            metrics.READER_TOKENS.labels("completion").inc(response.completion_tokens)
            return response.mentions, "requested"
        return None, "failed"

    async def _reserve(self, channel_id: str) -> bool:
        limit = self._policy.channel_requests
        async with self._open() as store:
            return await store.reader.reserve_request(channel_id, self._clock().date(), limit)

    def _wait(self, error: ReaderError, attempt: int) -> float | None:
        """Return the seconds until the next attempt; None to give up."""
        # One attempt shows whether a reader that failed before is back: an import waits no longer.
        max_attempts = 1 if self._failures else self._policy.max_attempts
        if not isinstance(error, ReaderUnavailableError) or attempt >= max_attempts:
            return None
        wait = self._policy.backoff.seconds(attempt, _CHANCE)
        wait = max(wait, error.retry_after or 0.0)
        return wait if wait <= _MAX_WAIT else None

    def _give_up(self, error: ReaderError) -> None:
        """Log a failure; after one that is not the text's own, send nothing for a while."""
        now = self._clock()
        if isinstance(error, ResponseUnusableError):
            log.warning("second_reading_failed", outcome=error.outcome, pause_seconds=0.0)
            return
        if now < self._paused_until:
            return  # another request in flight has failed before
        stated = error.retry_after if isinstance(error, ReaderUnavailableError) else None
        seconds = max(_PAUSE * 2.0**self._failures, stated or 0.0)
        pause = timedelta(seconds=min(_MAX_PAUSE, seconds))
        self._failures = min(self._failures + 1, _MAX_DOUBLINGS)
        self._paused_until = max(self._paused_until, now + pause)
        log.warning(
            "second_reading_failed", outcome=error.outcome, pause_seconds=pause.total_seconds()
        )

    def _decided(
        self,
        video: ProposedVideo,
        text: ReaderText,
        mentions: Mapping[str, tuple[Mention, ...]],
        context: ChannelContext,
    ) -> ProposedVideo:
        claimed = mentions.get(text.cache_key(self._reader.name, self._reader.prompt_version))
        if claimed is None:
            return video
        checked = self._checker.checked(claimed, text)
        candidates = [proposal.candidate for proposal in video.proposals]
        decisions = decide(candidates, checked, resembles)
        outcomes = Counter({"dropped": len(claimed) - len(checked)})
        proposals: list[Proposal] = []
        for proposal, decision in zip(video.proposals, decisions.of_candidates, strict=True):
            if not self._policy.is_unsure(proposal.detection.confidence):
                proposals.append(proposal)
                continue
            outcomes[decision.outcome] += 1
            if decision.outcome != "rejected":
                proposals.append(self._reviewed(proposal, decision))
        for mention in decisions.added:
            if not (context.owns_name(mention.brand) or mention.domain in context.own_domains):
                outcomes["added"] += 1
                proposals.append(self._added(mention))
        for outcome, count in outcomes.items():
            metrics.READER_DECISIONS.labels(outcome).inc(count)
        return replace(video, proposals=_distinct(proposals))

    def _reviewed(self, proposal: Proposal, decision: Decision) -> Proposal:
        if decision.mention is None:
            return proposal
        before = proposal.detection
        is_renamed = decision.outcome == "renamed" and _may_be_renamed(before)
        after = replace(
            before,
            confidence=self._policy.upper,
            reason=f"{before.reason}; a second reader agrees"[:_MAX_REASON],
        )
        if is_renamed:
            mention = decision.mention
            after = replace(
                after,
                brand=mention.brand,
                slug=mention.slug or slug_of(mention.brand),
                domain=mention.domain or before.domain,
            )
        is_tentative = is_renamed or not proposal.is_published
        return Proposal(after, reader=self._reader.name, is_tentative=is_tentative)

    def _added(self, mention: CheckedMention) -> Proposal:
        """Return a brand that the rules did not propose, less sure than one that both have seen."""
        assert mention.kind is not None  # noqa: S101 - `decide` adds no others
        detection = Detection(
            brand=mention.brand,
            slug=mention.slug or slug_of(mention.brand),
            domain=mention.domain,
            kind=mention.kind,
            code=None,
            link=None,
            excerpt=mention.evidence,
            source=mention.source,
            start=mention.start,
            end=mention.end,
            confidence=round((self._policy.lower + self._policy.upper) / 2, 2),
            reason="a second reader found it in these words",
        )
        return Proposal(detection, reader=self._reader.name, is_tentative=True)


def _may_be_renamed(detection: Detection) -> bool:
    """Return whether a name is the rules' own: the directory's are surer than any reader's."""
    known = bundled_directory().named(detection.brand)
    return known is None or known.slug != detection.slug


def _distinct(proposals: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Return the best proposal of each brand: published ones first, the surest of them first."""
    best: dict[str, Proposal] = {}
    for proposal in sorted(
        proposals, key=lambda item: (not item.is_published, -item.detection.confidence)
    ):
        best.setdefault(proposal.detection.slug, proposal)
    return tuple(best.values())
