"""Ingest of facts: batch by batch, each in one transaction.

Within a batch sponsors come first, then youtubers, then videos, then removals of videos; facts about the same thing
take effect in the order in which they were sent. A fact that is refused leaves the others alone. What
operators have decided wins over every fact: see `amendments`.
"""

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Callable,
    Container,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

from catalog_service.domain import amendments, fact_rules, joining
from catalog_service.domain.amendments import Merges
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.fact_rules import BadFactError
from catalog_service.domain.facts import Fact, VideoState, digest, merged
from catalog_service.domain.ports import Batch, IngestStore, Today
from catalog_service.prefetch import collect_cooperatively, prefetch
from shapes.catalog.ingest import (
    IngestReply,
    RejectedItem,
    SponsorFact,
    VideoFact,
    VideoRemoval,
    YoutuberFact,
)

MAX_BATCH: Final = 1_000
F = TypeVar("F")
AnyFact = SponsorFact | YoutuberFact | VideoFact | VideoRemoval
Item = AnyFact | None
"""A fact, or None where a message named none."""


@dataclass(slots=True)
class Tally:
    """Counts of the items ingested so far, by outcome."""

    received: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: list[RejectedItem] = field(default_factory=list[RejectedItem])
    version: int = 0

    def reject(self, index: int, reason: str) -> None:
        self.rejected.append(RejectedItem(index, reason))

    def reply(self) -> IngestReply:
        rejected = tuple(sorted(self.rejected, key=lambda item: item.index))
        return IngestReply(self.created, self.updated, self.unchanged, rejected, self.version)


@dataclass(frozen=True, slots=True)
class IndexedFact(Generic[F]):
    """A fact and its position in the call."""

    index: int
    fact: F


class Ingest:
    """Ingests streams of facts."""

    def __init__(self, store: IngestStore, today: Today) -> None:
        self._store = store
        self._today = today

    async def take(self, batches: AsyncIterable[Sequence[Item]]) -> IngestReply:
        """Ingest batch after batch; those before a failure stay committed.

        Raises:
            BadArgument: A batch has more than `MAX_BATCH` items.
            Unavailable: The store does not answer; sending everything again is safe.
        """
        tally = Tally()
        async with aclosing(prefetch(self._cleaned(batches, tally))) as cleaned:
            async for clean in cleaned:
                await self._take_batch(clean, tally)
        if not tally.received:
            await self._take_batch((), tally)
        return tally.reply()

    async def _cleaned(
        self, batches: AsyncIterable[Sequence[Item]], tally: Tally
    ) -> AsyncGenerator[Sequence[IndexedFact[AnyFact]]]:
        async for items in batches:
            if len(items) > MAX_BATCH:
                raise BadArgument("items", f"A message holds at most {MAX_BATCH:,} items.")
            yield await collect_cooperatively(self._clean(items, tally))

    async def _take_batch(self, clean: Sequence[IndexedFact[AnyFact]], tally: Tally) -> None:
        async with self._store.batch() as batch:
            for round_ in _rounds(clean, SponsorFact, lambda fact: fact.slug):
                await _take_sponsors(batch, round_, tally)
            for round_ in _rounds(clean, YoutuberFact, lambda fact: fact.key):
                await _take_youtubers(batch, round_, tally)
            for round_ in _rounds(clean, VideoFact, lambda fact: fact.key):
                # Those without an id are recognised by the others, which have to be there before.
                with_id = [item for item in round_ if item.fact.video_id is not None]
                without = [item for item in round_ if item.fact.video_id is None]
                for part in filter(None, (with_id, without)):
                    await _take_videos(batch, part, tally)
            removals = [item.fact for item in clean if isinstance(item.fact, VideoRemoval)]
            await _remove_videos(batch, removals, tally)
            tally.version = await batch.finish()

    def _clean(self, items: Sequence[Item], tally: Tally) -> Iterable[IndexedFact[AnyFact]]:
        for index, item in enumerate(items, tally.received):
            try:
                yield IndexedFact(index, self._checked(item))
            except BadFactError as reason:
                tally.reject(index, str(reason))
        tally.received += len(items)

    def _checked(self, item: Item) -> AnyFact:
        match item:
            case SponsorFact():
                return fact_rules.sponsor(item)
            case YoutuberFact():
                return fact_rules.youtuber(item)
            case VideoFact():
                return fact_rules.video(item, self._today)
            case VideoRemoval():
                return fact_rules.removal(item)
            case None:
                raise BadFactError("the item holds no fact")


def _rounds(
    facts: Iterable[IndexedFact[AnyFact]],
    cls: type[F],
    key: Callable[[F], str],
) -> list[list[IndexedFact[F]]]:
    """Return the facts of one class in order, in rounds with at most one about each entity."""
    rounds: list[list[IndexedFact[F]]] = []
    present: set[str] = set()
    for item in facts:
        if not isinstance(item.fact, cls):
            continue
        if not rounds or key(item.fact) in present:
            rounds.append([])
            present = set()
        present.add(key(item.fact))
        rounds[-1].append(IndexedFact(item.index, item.fact))
    return rounds


async def _take_sponsors(batch: Batch, facts: list[IndexedFact[SponsorFact]], tally: Tally) -> None:
    merges = await batch.merges([item.fact.slug for item in facts])
    merged_slugs = {*merges.targets, *merges.own}
    facts = await _without_known(batch, facts, merged_slugs, tally)
    if merged_slugs:
        await _take_merged(
            batch, [item.fact for item in facts if item.fact.slug in merged_slugs], merges, tally
        )
    plain = [item.fact for item in facts if item.fact.slug not in merged_slugs]
    stored = await batch.sponsors([fact.slug for fact in plain])
    await batch.save_sponsors(_changes(stored, plain, tally))


async def _without_known(
    batch: Batch, facts: list[IndexedFact[SponsorFact]], merged: Container[str], tally: Tally
) -> list[IndexedFact[SponsorFact]]:
    """Return the facts but for those that are for unknown brands alone, where the brand is known."""
    tentative = [item.fact.slug for item in facts if item.fact.only_if_new]
    if not tentative:
        return facts
    known = await batch.known_sponsors(tentative)
    present: list[IndexedFact[SponsorFact]] = []
    for item in facts:
        if item.fact.only_if_new and (item.fact.slug in known or item.fact.slug in merged):
            tally.unchanged += 1
        else:
            present.append(IndexedFact(item.index, replace(item.fact, only_if_new=None)))
    return present


def _changes(
    stored: Mapping[str, SponsorFact], facts: Iterable[SponsorFact], tally: Tally
) -> list[SponsorFact]:
    """Return the facts to store, merged with those stored."""
    changes = (_change(stored.get(fact.slug), fact, tally) for fact in facts)
    return [change for change in changes if change is not None]


def _present(
    facts: Iterable[IndexedFact[F]], former: Container[str], key: Callable[[F], str], tally: Tally
) -> list[IndexedFact[F]]:
    """Return the facts but for those about former identities, which say nothing new."""
    present: list[IndexedFact[F]] = []
    for item in facts:
        if key(item.fact) in former:
            tally.unchanged += 1
        else:
            present.append(item)
    return present


async def _take_merged(
    batch: Batch, facts: list[SponsorFact], merges: Merges, tally: Tally
) -> None:
    """Store facts about merged sponsors, and unite these again."""
    parts = [fact for fact in facts if fact.slug in merges.targets]
    owns = [fact for fact in facts if fact.slug in merges.own]
    await batch.save_parts(_changes(merges.parts, parts, tally))
    await batch.save_own(_changes(merges.own, owns, tally))
    merges = await batch.merges([fact.slug for fact in facts])
    united = [amendments.united(own, merges.parts_of(slug)) for slug, own in merges.own.items()]
    stored = await batch.sponsors(list(merges.own))
    await batch.save_sponsors([fact for fact in united if fact != stored[fact.slug]])


async def _take_youtubers(
    batch: Batch, facts: list[IndexedFact[YoutuberFact]], tally: Tally
) -> None:
    former = await batch.former_youtubers([item.fact.key for item in facts])
    facts = _present(facts, former, lambda fact: fact.key, tally)
    stored = await batch.youtubers([item.fact.key for item in facts])
    claims = [item.fact.channel_id for item in facts if item.fact.channel_id]
    owners = dict(await batch.channel_owners(claims))
    changes: list[YoutuberFact] = []
    for item in facts:
        fact, before = item.fact, stored.get(item.fact.key)
        reason = _clash(
            "channel_id", fact.key, fact.channel_id, before and before.channel_id, owners
        )
        if reason is not None:
            tally.reject(item.index, reason)
            continue
        change = _change(before, fact, tally)
        if change is not None:
            changes.append(change)
    await batch.save_youtubers(changes)
    await joining.join_by_handle(batch, [change.key for change in changes if change.handle])


async def _take_videos(batch: Batch, facts: list[IndexedFact[VideoFact]], tally: Tally) -> None:
    former = await batch.former_videos([item.fact.key for item in facts])
    facts = _present(facts, former, lambda fact: fact.key, tally)
    fresh = await _joined(batch, await _fresh(batch, facts, tally), tally)
    stored = await batch.videos([item.fact.key for item in fresh.values()])
    digest_of = {fact.fact.key: fact_digest for fact_digest, fact in fresh.items()}
    amended = await _amended(batch, list(fresh.values()))
    accepted = await _acceptable(batch, amended, stored, tally)
    states: list[VideoState] = []
    for fact in accepted:
        change = _change(stored.get(fact.key), fact, tally)
        if change is not None:
            states.append(VideoState.of(change, digest_of[fact.key]))
    await batch.save_videos(states)
    await batch.save_snapshots([fact for fact in accepted if fact.observed_at is not None])


async def _remove_videos(batch: Batch, removals: Sequence[VideoRemoval], tally: Tally) -> None:
    removed = await batch.remove_videos([item.key for item in removals])
    tally.updated += len(removed)
    tally.unchanged += len(removals) - len(removed)


async def _fresh(
    batch: Batch, facts: Sequence[IndexedFact[VideoFact]], tally: Tally
) -> dict[str, IndexedFact[VideoFact]]:
    """Return the facts that are not the latest known of their videos, by digest."""
    digests = await batch.video_digests([item.fact.key for item in facts])
    fresh = {digest(item.fact): item for item in facts}
    for known in digests.values():
        if fresh.pop(known, None) is not None:
            tally.unchanged += 1
    return fresh


async def _joined(
    batch: Batch, fresh: Mapping[str, IndexedFact[VideoFact]], tally: Tally
) -> dict[str, IndexedFact[VideoFact]]:
    """Return the facts under the present keys of their channels, without those that say nothing new."""
    joined = await joining.join_videos(batch, [item.fact for item in fresh.values()])
    tally.unchanged += len(joined.known)
    if joined.united:
        await _amend_stored(batch, list(joined.united))
    return {
        fact_digest: IndexedFact(item.index, joined.of_present(item.fact))
        for fact_digest, item in fresh.items()
        if item.fact.key not in joined.known
    }


async def _amend_stored(batch: Batch, keys: Sequence[str]) -> None:
    """Apply to stored videos what was decided about others that they turned out to be."""
    stored, digests = await batch.videos(keys), await batch.video_digests(keys)
    after = await _amended_videos(batch, list(stored.values()))
    changed = [fact for fact in after if fact != stored[fact.key]]
    await batch.save_videos([VideoState.of(fact, digests[fact.key]) for fact in changed])


async def _amended(
    batch: Batch, facts: Sequence[IndexedFact[VideoFact]]
) -> list[IndexedFact[VideoFact]]:
    """Return the facts with operators' decisions applied."""
    plain = await _amended_videos(batch, [item.fact for item in facts])
    return [IndexedFact(item.index, fact) for item, fact in zip(facts, plain, strict=True)]


async def _amended_videos(batch: Batch, facts: Sequence[VideoFact]) -> list[VideoFact]:
    decided = await batch.corrections([fact.key for fact in facts])
    slugs = {claim.sponsor_slug for fact in facts for claim in fact.sponsorships}
    slugs |= {item.sponsor_slug for corrections in decided.values() for item in corrections}
    steps = (await batch.merges(list(slugs))).steps
    return [amendments.amended(fact, decided.get(fact.key, ()), steps) for fact in facts]


async def _acceptable(
    batch: Batch,
    facts: Sequence[IndexedFact[VideoFact]],
    stored: Mapping[str, VideoFact],
    tally: Tally,
) -> list[VideoFact]:
    """Return the facts whose youtuber, sponsors and YouTube id agree with what is stored."""
    plain = [item.fact for item in facts]
    youtubers = await batch.known_youtubers(list({fact.youtuber_key for fact in plain}))
    slugs = {sponsorship.sponsor_slug for fact in plain for sponsorship in fact.sponsorships}
    sponsors = await batch.known_sponsors(list(slugs))
    owners = dict(await batch.video_owners([fact.video_id for fact in plain if fact.video_id]))
    accepted: list[VideoFact] = []
    for item in facts:
        fact, before = item.fact, stored.get(item.fact.key)
        reason = _unknown(fact, youtubers, sponsors) or _clash(
            "video_id", fact.key, fact.video_id, before and before.video_id, owners
        )
        if reason is None:
            accepted.append(fact)
        else:
            tally.reject(item.index, reason)
    return accepted


def _unknown(fact: VideoFact, youtubers: frozenset[str], sponsors: frozenset[str]) -> str | None:
    if fact.youtuber_key not in youtubers:
        return f"unknown youtuber {fact.youtuber_key!r}"
    for sponsorship in fact.sponsorships:
        if sponsorship.sponsor_slug not in sponsors:
            return f"unknown sponsor {sponsorship.sponsor_slug!r}"
    return None


def _clash(
    field: str, key: str, facts: str | None, known: str | None, owners: dict[str, str]
) -> str | None:
    """Return the reason why `key` cannot have the YouTube id `facts`; if it can, record it in `owners`."""
    if facts is None:
        return None
    if known is not None and known != facts:
        return f"{field} {facts} contradicts the known {known}"
    owner = owners.setdefault(facts, key)
    return None if owner == key else f"{field} {facts} belongs to {owner!r}"


def _change(stored: Fact | None, facts: Fact, tally: Tally) -> Fact | None:
    """Return the record to be written; None if the fact changes nothing."""
    if stored is None:
        tally.created += 1
        return facts
    after = merged(*joining.better(stored, facts))
    if after == stored:
        tally.unchanged += 1
        return None
    tally.updated += 1
    return after
