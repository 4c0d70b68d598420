"""One batch of the ingest: reads of stored facts, and their writes in sets."""

from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    Column,
    Executable,
    Table,
    TableValuedAlias,
    Text,
    bindparam,
    delete,
    func,
    select,
    true,
    union,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import ReturningInsert

from catalog_service.domain.amendments import Correction, Merges, MergeStep
from catalog_service.domain.facts import VideoState
from catalog_service.storage.columns import AnyRow, AnySelect
from catalog_service.storage.connections import Database
from catalog_service.storage.ingest import events, facts, snapshots, texts
from catalog_service.storage.ingest.joining import PostgresJoins
from catalog_service.storage.ingest.removals import LOCK_VIDEOS, REMOVE_VIDEOS
from catalog_service.storage.rollups import updates
from catalog_service.storage.rollups.changes import Changes
from catalog_service.storage.rollups.tables import sponsor_months
from catalog_service.storage.search import spellings
from catalog_service.storage.tables import (
    catalog_state,
    merged_sponsors,
    sponsor_merges,
    sponsors,
    sponsorship_corrections,
    sponsorships,
    videos,
    youtubers,
)
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact, YoutuberFact

_KEYS: Final = func.any(bindparam("keys", type_=ARRAY(Text)))
_SPONSOR_FACTS: Final = ("name", "aliases", "domains", "category", "country", "website")
_p = sponsorships.c
_SIGHTED: Final = (
    _p.video_id,
    _p.sponsor_id,
    _p.youtuber_id,
    _p.published_on,
    _p.views,
    _p.content_category,
    _p.sponsor_category,
    _p.country,
    _p.kind,
    _p.confidence,
)
"""The columns that rollups are computed from."""


def _stored(table: Table, key: Column[Any], *columns: Column[Any]) -> AnySelect:
    return select(*(columns or table.c)).where(key == _KEYS)


def _upsert(table: Table, key: str, facts_table: TableValuedAlias) -> ReturningInsert[Any]:
    """Upsert rows in full; return their numbers."""
    names = [name for name in facts_table.c.keys() if name in table.c]  # noqa: SIM118
    write = insert(table).from_select(names, select(*(facts_table.c[name] for name in names)))
    return write.on_conflict_do_update(
        index_elements=[key],
        set_={name: write.excluded[name] for name in names if name != key},
    ).returning(table.c.id)


def _upsert_videos() -> ReturningInsert[Any, Any, Any, Any]:
    facts_table = facts.video_facts
    values = {
        "key": facts_table.c.key,
        "video_id": facts_table.c.video_id,
        "youtuber_id": youtubers.c.id,
        "title": facts_table.c.title,
        "title_hash": facts_table.c.title_hash,
        "published_on": facts_table.c.published_at,
        "views": facts_table.c.views,
        "category": facts_table.c.category,
        "duration_seconds": facts_table.c.duration_seconds,
        "detector_version": facts_table.c.detector_version,
        "paid_promotion_disclosed": facts_table.c.paid_promotion_disclosed,
        "likes": facts_table.c.likes,
        "comments": facts_table.c.comments,
        "observed_on": facts_table.c.observed_at,
        "language": facts_table.c.language,
        "broadcast": facts_table.c.broadcast,
        "disclosure_words": facts_table.c.disclosure_words,
        "format": facts.video_states.c.format,
        "digest": facts.video_states.c.digest,
    }
    source = (
        select(*values.values())
        .select_from(facts.video_states.join(facts_table, true()))
        .join(youtubers, youtubers.c.key == facts_table.c.youtuber_key)
    )
    write = insert(videos).from_select(list(values), source)
    return write.on_conflict_do_update(
        index_elements=["key"],
        set_={name: write.excluded[name] for name in values if name != "key"},
    ).returning(videos.c.key, videos.c.youtuber_id, videos.c.published_on, videos.c.category)


def _insert_sponsorships() -> Executable:
    facts_table, claimed = facts.video_facts, facts.sponsorship_facts
    values: dict[str, Any] = {
        "video_id": videos.c.id,
        "sponsor_id": sponsors.c.id,
        "youtuber_id": videos.c.youtuber_id,
        "published_on": videos.c.published_on,
        "views": videos.c.views,
        "content_category": videos.c.category,
        "sponsor_category": sponsors.c.category,
        "country": youtubers.c.country,
    }
    values |= {name: claimed.c[name] for name in claimed.c.keys() if name != "sponsor_slug"}  # noqa: SIM118
    source = (
        select(*values.values())
        .select_from(facts.video_states.join(facts_table, true()).join(claimed, true()))
        .join(videos, videos.c.key == facts_table.c.key)
        .join(youtubers, youtubers.c.id == videos.c.youtuber_id)
        .join(sponsors, sponsors.c.slug == claimed.c.sponsor_slug)
    )
    return insert(sponsorships).from_select(list(values), source).returning(*_SIGHTED)


def _upsert_own() -> Executable:
    rows = facts.sponsor_facts
    values = {
        "sponsor_id": sponsors.c.id,
        "slug": sponsors.c.slug,
        **{name: rows.c[name] for name in _SPONSOR_FACTS},
    }
    source = select(*values.values()).join_from(rows, sponsors, sponsors.c.slug == rows.c.slug)
    write = insert(merged_sponsors).from_select(list(values), source)
    return write.on_conflict_do_update(
        index_elements=["sponsor_id"],
        set_={name: write.excluded[name] for name in _SPONSOR_FACTS},
    )


_SPONSORS: Final = _stored(sponsors, sponsors.c.slug)
_YOUTUBERS: Final = _stored(youtubers, youtubers.c.key)
_VIDEOS: Final = (
    select(videos, youtubers.c.key.label("youtuber_key"))
    .join(youtubers, youtubers.c.id == videos.c.youtuber_id)
    .where(videos.c.key == _KEYS)
)
_CLAIMS: Final = (
    select(videos.c.key, sponsors.c.slug, sponsorships)
    .join_from(sponsorships, videos, videos.c.id == _p.video_id)
    .join(sponsors, sponsors.c.id == _p.sponsor_id)
    .where(videos.c.key == _KEYS)
    .order_by(sponsors.c.slug)
)
_DIGESTS: Final = _stored(videos, videos.c.key, videos.c.key, videos.c.digest)
_KNOWN_SPONSORS: Final = _stored(sponsors, sponsors.c.slug, sponsors.c.slug)
_KNOWN_YOUTUBERS: Final = _stored(youtubers, youtubers.c.key, youtubers.c.key)
_CHANNELS: Final = _stored(
    youtubers, youtubers.c.channel_id, youtubers.c.channel_id, youtubers.c.key
)
_VIDEO_IDS: Final = _stored(videos, videos.c.video_id, videos.c.video_id, videos.c.key)
_HOLDERS: Final = _stored(
    videos, videos.c.key, videos.c.key, videos.c.youtuber_id, videos.c.published_on
)

_SAVE_SPONSORS: Final = _upsert(sponsors, "slug", facts.sponsor_facts)
_SAVE_YOUTUBERS: Final = _upsert(youtubers, "key", facts.youtuber_facts)
_SAVE_VIDEOS: Final = _upsert_videos()
_SAVE_SPONSORSHIPS: Final = _insert_sponsorships()
_DROP_SPONSORSHIPS: Final = (
    delete(sponsorships)
    .where(_p.video_id == videos.c.id, videos.c.key == _KEYS)
    .returning(*_SIGHTED)
)
_RECATEGORISED: Final = (
    select(*_SIGHTED, sponsors.c.category.label("now"))
    .join(sponsors, sponsors.c.id == _p.sponsor_id)
    .where(sponsors.c.slug == _KEYS, _p.sponsor_category.is_distinct_from(sponsors.c.category))
)
_RELABEL_SPONSORS: Final[tuple[Executable, ...]] = tuple(
    update(table)
    .where(
        table.c.sponsor_id == sponsors.c.id,
        sponsors.c.slug == _KEYS,
        table.c.sponsor_category.is_distinct_from(sponsors.c.category),
    )
    .values(sponsor_category=sponsors.c.category)
    for table in (sponsorships, sponsor_months)
)
_RELOCATED: Final = (
    select(*_SIGHTED, youtubers.c.country.label("now"))
    .join(youtubers, youtubers.c.id == _p.youtuber_id)
    .where(youtubers.c.key == _KEYS, _p.country.is_distinct_from(youtubers.c.country))
)
_RELABEL_YOUTUBERS: Final = (
    update(sponsorships)
    .where(
        _p.youtuber_id == youtubers.c.id,
        youtubers.c.key == _KEYS,
        _p.country.is_distinct_from(youtubers.c.country),
    )
    .values(country=youtubers.c.country)
)
_TARGETS: Final = union(
    select(sponsor_merges.c.into_id).where(sponsor_merges.c.from_slug == _KEYS),
    select(merged_sponsors.c.sponsor_id).where(merged_sponsors.c.slug == _KEYS),
).subquery("targets")
_MERGES: Final = (
    select(sponsor_merges, merged_sponsors.c.slug.label("target_slug"))
    .join(merged_sponsors, merged_sponsors.c.sponsor_id == sponsor_merges.c.into_id)
    .where(sponsor_merges.c.into_id.in_(select(_TARGETS.c.into_id)))
    .order_by(sponsor_merges.c.number)
)
_OWN: Final = select(merged_sponsors).where(
    merged_sponsors.c.sponsor_id.in_(select(_TARGETS.c.into_id))
)
_CORRECTIONS: Final = (
    select(sponsorship_corrections)
    .where(sponsorship_corrections.c.video_key == _KEYS)
    .order_by(sponsorship_corrections.c.number)
)
_SAVE_PARTS: Final = (
    update(sponsor_merges)
    .where(sponsor_merges.c.from_slug == facts.sponsor_facts.c.slug)
    .values({name: facts.sponsor_facts.c[name] for name in _SPONSOR_FACTS})
)
_SAVE_OWN: Final = _upsert_own()
_VERSION: Final = select(catalog_state.c.version)


class PostgresIngest:
    """Opens batches on the catalogue's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def batch(self) -> AsyncGenerator["PostgresBatch"]:
        async with self._database.writing() as connection:
            yield PostgresBatch(connection)


class PostgresBatch(PostgresJoins):
    """A batch as `domain.ports.Batch` describes it."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._changes = Changes()
        self._new = events.NewSponsorships()
        super().__init__(connection, self._changes, self._new)
        self._changed = False

    async def sponsors(self, slugs: Sequence[str]) -> Mapping[str, SponsorFact]:
        rows = await self._rows(_SPONSORS, slugs)
        return {row.slug: facts.sponsor_fact(row) for row in rows}

    async def youtubers(self, keys: Sequence[str]) -> Mapping[str, YoutuberFact]:
        rows = await self._rows(_YOUTUBERS, keys)
        return {row.key: facts.youtuber_fact(row) for row in rows}

    async def videos(self, keys: Sequence[str]) -> Mapping[str, VideoFact]:
        claims: defaultdict[str, list[SponsorshipFact]] = defaultdict(list)
        for row in await self._rows(_CLAIMS, keys):
            claims[row.key].append(facts.sponsorship_fact(row))
        rows = await self._rows(_VIDEOS, keys)
        return {row.key: facts.video_fact(row, tuple(claims[row.key])) for row in rows}

    async def video_digests(self, keys: Sequence[str]) -> Mapping[str, str]:
        return {row.key: row.digest for row in await self._rows(_DIGESTS, keys)}

    async def known_sponsors(self, slugs: Sequence[str]) -> frozenset[str]:
        return frozenset(row.slug for row in await self._rows(_KNOWN_SPONSORS, slugs))

    async def known_youtubers(self, keys: Sequence[str]) -> frozenset[str]:
        return frozenset(row.key for row in await self._rows(_KNOWN_YOUTUBERS, keys))

    async def channel_owners(self, channel_ids: Sequence[str]) -> Mapping[str, str]:
        return {row.channel_id: row.key for row in await self._rows(_CHANNELS, channel_ids)}

    async def video_owners(self, video_ids: Sequence[str]) -> Mapping[str, str]:
        return {row.video_id: row.key for row in await self._rows(_VIDEO_IDS, video_ids)}

    async def merges(self, slugs: Sequence[str]) -> Merges:
        rows = await self._rows(_MERGES, slugs)
        if not rows:
            return Merges()
        return Merges(
            targets={row.from_slug: row.target_slug for row in rows},
            parts={row.from_slug: facts.part_fact(row) for row in rows},
            own={row.slug: facts.sponsor_fact(row) for row in await self._rows(_OWN, slugs)},
            steps=[MergeStep(row.from_slug, row.into_slug, row.number) for row in rows],
        )

    async def corrections(self, keys: Sequence[str]) -> Mapping[str, Sequence[Correction]]:
        found: defaultdict[str, list[Correction]] = defaultdict(list)
        for row in await self._rows(_CORRECTIONS, keys):
            found[row.video_key].append(Correction(row.slug, row.action, row.kind, row.number))
        return found

    async def save_parts(self, changed: Sequence[SponsorFact]) -> None:
        if changed:
            self._changed = True
            await self._connection.execute(_SAVE_PARTS, {"facts": facts.parameter(changed)})

    async def save_own(self, changed: Sequence[SponsorFact]) -> None:
        if changed:
            self._changed = True
            await self._connection.execute(_SAVE_OWN, {"facts": facts.parameter(changed)})

    async def save_sponsors(self, changed: Sequence[SponsorFact]) -> None:
        if not changed:
            return
        self._changed = True
        keys = {"keys": [fact.slug for fact in changed]}
        await self._connection.execute(_SAVE_SPONSORS, {"facts": facts.parameter(changed)})
        names = spellings.sponsor_parameters(changed)
        for statement in spellings.RENAME_SPONSORS:
            await self._connection.execute(statement, names)
        relabelled = (await self._connection.execute(_RECATEGORISED, keys)).all()
        if relabelled:
            self._changes.categorised(relabelled)
            for statement in _RELABEL_SPONSORS:
                await self._connection.execute(statement, keys)

    async def save_youtubers(self, changed: Sequence[YoutuberFact]) -> None:
        if not changed:
            return
        self._changed = True
        keys = {"keys": [fact.key for fact in changed]}
        rows = await self._connection.execute(_SAVE_YOUTUBERS, {"facts": facts.parameter(changed)})
        self._changes.youtubers.update(rows.scalars())
        names = spellings.youtuber_parameters(changed)
        for statement in spellings.RENAME_YOUTUBERS:
            await self._connection.execute(statement, names)
        relabelled = (await self._connection.execute(_RELOCATED, keys)).all()
        if relabelled:
            self._changes.located(relabelled)
            await self._connection.execute(_RELABEL_YOUTUBERS, keys)

    async def save_videos(self, states: Sequence[VideoState]) -> None:
        if not states:
            return
        self._changed = True
        keys = [state.fact.key for state in states]
        holders = await self._rows(_HOLDERS, keys)
        if holders:
            await self._drop_sponsorships(holders, keys)
        parameters = {"facts": facts.parameter(texts.left_out(states))}
        written = (await self._connection.execute(_SAVE_VIDEOS, parameters)).all()
        await texts.save(self._connection, states)
        self._changes.stored(written)
        known = {row.key for row in holders}
        self._changes.changed(row.youtuber_id for row in written if row.key in known)
        self._changes.appeared(row for row in written if row.key not in known)
        await self._save_sponsorships([state for state in states if state.fact.sponsorships])

    async def remove_videos(self, keys: Sequence[str]) -> frozenset[str]:
        holders = await self._rows(LOCK_VIDEOS, keys)
        if holders:
            self._changed = True
            await self._drop_sponsorships(holders, keys)
            for statement in REMOVE_VIDEOS:
                await self._connection.execute(statement, {"keys": list(keys)})
        return frozenset(row.key for row in holders)

    async def _drop_sponsorships(self, holders: Sequence[AnyRow], keys: Sequence[str]) -> None:
        self._changes.vanished(holders)
        self._changes.changed(row.youtuber_id for row in holders)
        dropped = await self._rows(_DROP_SPONSORSHIPS, keys)
        self._changes.went(dropped)
        self._new.went(dropped)

    async def _save_sponsorships(self, states: Sequence[VideoState]) -> None:
        if states:
            parameters = {"facts": facts.parameter(states)}
            added = (await self._connection.execute(_SAVE_SPONSORSHIPS, parameters)).all()
            self._changes.came(added)
            self._new.came(added)

    async def save_snapshots(self, observed: Sequence[VideoFact]) -> None:
        if observed and await snapshots.save(self._connection, observed):
            self._changed = True

    async def finish(self) -> int:
        if self._changed or self._changes.youtubers:
            before = await events.channel_days(self._connection, self._changes.youtubers)
            version = await updates.bring_up_to_date(self._connection, self._changes)
            await events.save(self._connection, self._new.pairs(), before)
            await self.forget_emptied()
            return version
        return (await self._connection.execute(_VERSION)).scalar_one()

    async def _rows(self, statement: Executable, keys: Sequence[str]) -> Sequence[AnyRow]:
        if not keys:
            return ()
        return (await self._connection.execute(statement, {"keys": list(keys)})).all()
