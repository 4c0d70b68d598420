"""Reporting and reviewing: the transactions of callers and operators."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Executable,
    Text,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.domain.amendments import Correction
from catalog_service.domain.queries import NumberedPage
from catalog_service.domain.references import VideoReference
from catalog_service.domain.review_ports import Case, Change, Merge, NewReport, ReportDecision
from catalog_service.storage.connections import Database
from catalog_service.storage.corrections import reports
from catalog_service.storage.ingest.batches import PostgresBatch
from catalog_service.storage.rollups import category_facets
from catalog_service.storage.rollups.tables import (
    sponsor_contents,
    sponsor_day_returns,
    sponsor_days,
    sponsor_facets,
    sponsor_months,
    sponsor_parts,
    sponsor_returns,
)
from catalog_service.storage.tables import (
    correction_log,
    merged_sponsors,
    saved_list_entries,
    sponsor_merges,
    sponsor_names,
    sponsor_youtubers,
    sponsors,
    sponsorship_corrections,
    sponsorship_reports,
    sponsorships,
    videos,
)
from catalog_service.storage.videos import find_key
from servicekit.errors import Conflict
from shapes.catalog.corrections import CorrectionLogEntry, ReviewedReport

_REPORTER: Final = 0x5B0_9E6
"""The first key of the advisory lock that an account's reports take."""

_e, _r, _c, _m, _p = (
    saved_list_entries.c,
    sponsorship_reports.c,
    sponsorship_corrections.c,
    sponsor_merges.c,
    sponsorships.c,
)
_slug: Final = bindparam("slug", type_=Text)
_number: Final = bindparam("number", type_=BigInteger)
_video: Final = bindparam("video", type_=Text)
_gone: Final = bindparam("gone", type_=BigInteger)
_target: Final = bindparam("target", type_=BigInteger)
_brand: Final = bindparam("brand", type_=Text)
_sponsor: Final = bindparam("sponsor", type_=BigInteger)

_take_reporter_lock: Final = select(
    func.pg_advisory_xact_lock(_REPORTER, func.hashtext(bindparam("account", type_=Text)))
)
_SAME: Final = (
    select(_r.id)
    .where(
        _r.state == "open",
        _r.account_id == bindparam("account", type_=Text),
        _r.video_key == _video,
        _r.kind == bindparam("kind", type_=Text),
        _r.sponsor_id.is_not_distinct_from(_sponsor),
        _r.proposed_kind.is_not_distinct_from(bindparam("proposed", type_=Text)),
        or_(
            # What is missing is of one brand, by whichever of its names.
            and_(_r.kind == "missing", _r.sponsor_id.is_not(None)),
            func.lower(_r.brand).is_not_distinct_from(func.lower(_brand)),
        ),
    )
    .order_by(_r.id)
    .limit(1)
)
_OPEN: Final = select(func.count()).where(
    _r.account_id == bindparam("account", type_=Text), _r.state == "open"
)
_KIND_OF: Final = (
    select(_p.kind)
    .join(videos, videos.c.id == _p.video_id)
    .where(videos.c.key == _video, _p.sponsor_id == _sponsor)
)
_ADD: Final = insert(sponsorship_reports).returning(_r.id)
_INSERT_LOG_ENTRY: Final = insert(correction_log).values(detail=bindparam("detail", type_=JSONB))

_CASE: Final = (
    select(sponsorship_reports, sponsors.c.slug)
    .outerjoin(sponsors, sponsors.c.id == _r.sponsor_id)
    .where(_r.id == _number, _r.state == "open")
)
_SETTLE: Final = (
    update(sponsorship_reports)
    .where(_r.id == _number)
    .values(
        state=bindparam("decided_state"),
        decided_at=func.now(),
        decided_by=bindparam("actor"),
        decision_note=bindparam("words", type_=Text),
        applied=bindparam("changed", type_=Boolean),
    )
)
_SPONSOR: Final = select(sponsors.c.id).where(sponsors.c.slug == _slug)
_LOCKED_SPONSOR: Final = _SPONSOR.with_for_update()
_VIDEO_KEYS: Final = (
    select(videos.c.key)
    .join(sponsorships, _p.video_id == videos.c.id)
    .join(sponsors, sponsors.c.id == _p.sponsor_id)
    .where(sponsors.c.slug == _slug)
    .order_by(videos.c.id)
)


_LISTS_OF_TARGET: Final = select(_e.list_id).where(_e.sponsor_id == _target)
_SAVE_CORRECTION: Final = insert(sponsorship_corrections)
_ADD_MERGE: Final = insert(sponsor_merges)
_ABSORB: Final[tuple[Executable, ...]] = (
    update(sponsor_merges).where(_m.into_id == _gone).values(into_id=_target),
    update(sponsorship_corrections).where(_c.sponsor_id == _gone).values(sponsor_id=_target),
    delete(merged_sponsors).where(merged_sponsors.c.sponsor_id == _gone),
    update(sponsorship_reports).where(_r.sponsor_id == _gone).values(sponsor_id=_target),
    update(saved_list_entries)
    .where(_e.sponsor_id == _gone, _e.list_id.not_in(_LISTS_OF_TARGET))
    .values(sponsor_id=_target),
    delete(saved_list_entries).where(_e.sponsor_id == _gone),
)
_FORGET: Final[tuple[Executable, ...]] = (
    category_facets.FORGET,
    delete(sponsor_names).where(sponsor_names.c.sponsor_id == _gone),
    *(
        delete(table).where(table.c.sponsor_id == _gone)
        for table in (
            sponsor_youtubers,
            sponsor_months,
            sponsor_parts,
            sponsor_returns,
            sponsor_days,
            sponsor_day_returns,
            sponsor_facets,
            sponsor_contents,
        )
    ),
    delete(sponsors).where(sponsors.c.id == _gone),
)


class PostgresReviews:
    """`ReviewStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def reporting(self, account_id: str) -> AsyncGenerator["PostgresReporting"]:
        async with self._database.report_transaction() as connection:
            await connection.execute(_take_reporter_lock, {"account": account_id})
            yield PostgresReporting(connection)

    @asynccontextmanager
    async def review(self) -> AsyncGenerator["PostgresReview"]:
        async with self._database.writing() as connection:
            yield PostgresReview(connection)

    async def find_video(self, reference: VideoReference) -> str | None:
        async with self._database.reader() as connection:
            return await find_key(connection, reference)

    async def report(self, number: int) -> ReviewedReport | None:
        async with self._database.snapshot() as connection:
            return await reports.find(connection, number)

    async def reports(self, state: str, page: NumberedPage) -> Sequence[ReviewedReport]:
        async with self._database.snapshot() as connection:
            return await reports.of_state(connection, state, page)

    async def own_reports(
        self, account_id: str, state: str | None, page: NumberedPage
    ) -> Sequence[ReviewedReport]:
        async with self._database.snapshot() as connection:
            return await reports.of_account(connection, account_id, state, page)

    async def log_entries(self, page: NumberedPage) -> Sequence[CorrectionLogEntry]:
        async with self._database.reader() as connection:
            return await reports.log_entries(connection, page)


class PostgresReporting:
    """A report's transaction as `review_ports.Reporting` describes it."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def same(self, report: NewReport) -> int | None:
        values = {
            "account": report.account_id,
            "video": report.video_key,
            "kind": report.kind,
            "sponsor": report.sponsor,
            "brand": report.brand,
            "proposed": report.proposed_kind,
        }
        return (await self._connection.execute(_SAME, values)).scalar()

    async def open_reports(self, account_id: str) -> int:
        return (await self._connection.execute(_OPEN, {"account": account_id})).scalar_one()

    async def kind_of(self, video_key: str, sponsor: int) -> str | None:
        values = {"video": video_key, "sponsor": sponsor}
        return (await self._connection.execute(_KIND_OF, values)).scalar()

    async def add(self, report: NewReport) -> int:
        values = {
            "account_id": report.account_id,
            "video_key": report.video_key,
            "sponsor_id": report.sponsor,
            "reported_slug": report.sponsor_slug,
            "kind": report.kind,
            "brand": report.brand,
            "proposed_kind": report.proposed_kind,
            "note": report.note,
        }
        try:
            number = (await self._connection.execute(_ADD, values)).scalar_one()
        except IntegrityError as error:
            raise Conflict("The video or the sponsor has just changed. Report again.") from error
        detail = {"kind": report.kind, "brand": report.brand, "proposed": report.proposed_kind}
        account = f"account {report.account_id}"
        await _insert_log_entry(
            self._connection,
            Change(account, "reported", number, report.video_key, report.sponsor_slug, detail),
        )
        return number


class PostgresReview(PostgresBatch):
    """An operator's transaction as `review_ports.Review` describes it."""

    async def open_case(self, number: int) -> Case | None:
        row = (await self._connection.execute(_CASE, {"number": number})).one_or_none()
        if row is None:
            return None
        return Case(number, row.video_key, row.kind, row.slug, row.brand, row.proposed_kind)

    async def settle(self, number: int, decision: ReportDecision) -> None:
        values = {
            "number": number,
            "decided_state": decision.state,
            "actor": decision.actor,
            "words": decision.note,
            "changed": decision.applied,
        }
        await self._connection.execute(_SETTLE, values)

    async def save_correction(
        self, video_key: str, correction: Correction, actor: str, report: int
    ) -> None:
        values = {
            "video_key": video_key,
            "sponsor_id": await self._sponsor(_SPONSOR, correction.sponsor_slug),
            "slug": correction.sponsor_slug,
            "action": correction.action,
            "kind": correction.kind,
            "corrected_by": actor,
            "report_id": report,
        }
        await self._connection.execute(_SAVE_CORRECTION, values)

    async def video_keys(self, sponsor_slug: str) -> Sequence[str]:
        rows = await self._connection.execute(_VIDEO_KEYS, {"slug": sponsor_slug})
        return rows.scalars().all()

    async def absorb(self, merge: Merge) -> None:
        gone = await self._sponsor(_LOCKED_SPONSOR, merge.part.slug)
        target = await self._sponsor(_SPONSOR, merge.into_slug)
        values: dict[str, Any] = {
            "from_slug": merge.part.slug,
            "from_id": gone,
            "into_id": target,
            "into_slug": merge.into_slug,
            "name": merge.part.name,
            "aliases": list(merge.part.aliases),
            "domains": list(merge.part.domains),
            "category": merge.part.category,
            "country": merge.part.country,
            "website": merge.part.website,
            "note": merge.note,
            "merged_by": merge.actor,
        }
        await self._connection.execute(_ADD_MERGE, values)
        for statement in _ABSORB:
            await self._connection.execute(statement, {"gone": gone, "target": target})
        self._changed = True

    async def forget_sponsor(self, slug: str) -> None:
        gone = await self._sponsor(_SPONSOR, slug)
        for statement in _FORGET:
            await self._connection.execute(statement, {"gone": gone})
        self._changes.forget(gone)

    async def note(self, change: Change) -> None:
        await _insert_log_entry(self._connection, change)

    async def _sponsor(self, statement: Executable, slug: str) -> int:
        return (await self._connection.execute(statement, {"slug": slug})).scalar_one()


async def _insert_log_entry(connection: AsyncConnection, change: Change) -> None:
    values: Mapping[str, object] = {
        "actor": change.actor,
        "action": change.action,
        "report_id": change.report,
        "video_key": change.video_key,
        "sponsor_slug": change.sponsor_slug,
        "detail": dict(change.detail),
    }
    await connection.execute(_INSERT_LOG_ENTRY, values)
