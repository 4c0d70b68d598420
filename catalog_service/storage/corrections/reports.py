"""Reads of reports and of the correction log."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Text,
    bindparam,
    case,
    cast,
    exists,
    func,
    select,
)

from catalog_service.domain import public_ids
from catalog_service.domain.queries import NumberedPage
from catalog_service.storage import video_lists
from catalog_service.storage.columns import (
    SPONSOR_REF,
    VIDEO,
    YOUTUBER_REF,
    AnyRow,
    AnySelect,
    sponsor_ref,
    video,
    youtuber_ref,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.tables import (
    correction_log,
    sponsors,
    sponsorship_corrections,
    sponsorship_reports,
    sponsorships,
    videos,
    youtubers,
)
from shapes.catalog.corrections import CorrectionLogEntry, Report, ReviewedReport
from shapes.catalog.shared import Sponsorship

_r, _t, _p = sponsorship_reports.c, correction_log.c, sponsorships.c
_own = sponsorship_reports.alias("own").c
_number: Final = bindparam("number", type_=BigInteger)
_after: Final = bindparam("after", type_=BigInteger)
_limit: Final = bindparam("limit", type_=Integer)
_state: Final = bindparam("state", type_=Text)
_shown_state: Final = case(
    (_r.state == "open", "received"), (_r.applied, "applied"), else_=_r.state
)
_correction = sponsorship_corrections.alias("correction").c
_later = sponsorship_corrections.alias("later").c
_further = sponsorship_corrections.alias("further").c
_in_results: Final = (
    select(_p.kind)
    .where(_p.video_id == videos.c.id, _p.sponsor_id == _correction.sponsor_id)
    .correlate_except(sponsorships)
    .scalar_subquery()
)


def _differs(kind: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return whether a sponsorship of this kind, none if it is null, differs from what a report asked.

    A report asks that a sponsorship is not there, that it is of the kind that the report names, or that it is there.
    """
    return case(
        (_correction.kind.is_(None), kind.is_not(None)),
        (_r.proposed_kind.is_not(None), kind.is_distinct_from(_correction.kind)),
        else_=kind.is_(None),
    )


# The first later report that decided otherwise, if results differ from what this one asked.
_replaced_by: Final = (
    select(_later.report_id)
    .where(
        _correction.video_key == _r.video_key,
        _correction.report_id == _r.id,
        # Brands that were merged meanwhile are one: of what a report asked of it, the last counts.
        ~exists().where(
            _further.video_key == _correction.video_key,
            _further.report_id == _correction.report_id,
            _further.sponsor_id == _correction.sponsor_id,
            _further.number > _correction.number,
        ),
        _later.video_key == _correction.video_key,
        _later.sponsor_id == _correction.sponsor_id,
        _later.number > _correction.number,
        _later.report_id != _r.id,
        _differs(_later.kind),
        _differs(_in_results),
    )
    .order_by(_later.number)
    .limit(1)
    .correlate(sponsorship_reports, videos)
    .scalar_subquery()
)
# Of a brand that the catalogue had not, a report has the sponsor that it became once it was accepted.
_became: Final = (
    select(_correction.sponsor_id)
    .where(_correction.report_id == _r.id, _r.kind == "missing")
    .order_by(_correction.number.desc())
    .limit(1)
    .correlate(sponsorship_reports)
    .scalar_subquery()
)
_REPORTS: Final[AnySelect] = (
    select(
        _r.id.label("report_number"),
        _shown_state.label("state"),
        _r.kind,
        _r.brand,
        _r.proposed_kind,
        _r.note,
        _r.created_at,
        _r.account_id,
        _r.decided_at,
        _r.decided_by,
        _r.decision_note,
        _r.reported_slug,
        _replaced_by.label("replaced_by"),
        *VIDEO,
        *YOUTUBER_REF,
        *SPONSOR_REF,
    )
    .join_from(sponsorship_reports, videos, videos.c.key == _r.video_key)
    .join(youtubers, youtubers.c.id == videos.c.youtuber_id)
    .outerjoin(sponsors, sponsors.c.id == func.coalesce(_r.sponsor_id, _became))
)
_BY_NUMBER: Final = _REPORTS.where(_r.id == _number)
_OF_SAME_VIDEO: Final = (
    _REPORTS.where(
        _r.video_key == select(_own.video_key).where(_own.id == _number).scalar_subquery(),
        _r.id != _number,
    )
    .order_by(_r.id.desc())
    .limit(10)
)
_PAGE: Final = _REPORTS.where(_shown_state == _state, _r.id > _after).order_by(_r.id).limit(_limit)
_OWN: Final = (
    _REPORTS.where(
        _r.account_id == bindparam("account_id"),
        case((_state.is_(None), True), else_=_shown_state == _state),
        case((_after == 0, True), else_=_r.id < _after),
    )
    .order_by(_r.id.desc())
    .limit(_limit)
)
_LOG_ENTRIES: Final = (
    select(
        _t.id,
        _t.at,
        _t.actor,
        _t.action,
        _t.report_id,
        _t.video_key,
        _t.sponsor_slug,
        cast(_t.detail, Text).label("detail"),
    )
    .where(case((_after == 0, True), else_=_t.id < _after))
    .order_by(_t.id.desc())
    .limit(_limit)
)


async def find(connection: QueryConnection, number: int) -> ReviewedReport | None:
    """Return a report with the others of its video."""
    found = await _reviewed(connection, _BY_NUMBER, {"number": number})
    if not found:
        return None
    others = await _reviewed(connection, _OF_SAME_VIDEO, {"number": number})
    return replace(found[0], others=tuple(other.report for other in others))


async def of_state(
    connection: QueryConnection, state: str, page: NumberedPage
) -> list[ReviewedReport]:
    values = {"state": state, "after": page.after or 0, "limit": page.limit + 1}
    return await _reviewed(connection, _PAGE, values)


async def of_account(
    connection: QueryConnection, account_id: str, state: str | None, page: NumberedPage
) -> list[ReviewedReport]:
    values = {
        "account_id": account_id,
        "state": state,
        "after": page.after or 0,
        "limit": page.limit + 1,
    }
    return await _reviewed(connection, _OWN, values)


async def log_entries(connection: QueryConnection, page: NumberedPage) -> list[CorrectionLogEntry]:
    values = {"after": page.after or 0, "limit": page.limit + 1}
    return [
        CorrectionLogEntry(
            row.id,
            row.at,
            row.actor,
            row.action,
            row.report_id and public_ids.report(row.report_id),
            row.video_key,
            row.sponsor_slug,
            row.detail,
        )
        for row in await connection.execute(_LOG_ENTRIES, values)
    ]


async def _reviewed(
    connection: QueryConnection, statement: AnySelect, values: dict[str, Any]
) -> list[ReviewedReport]:
    rows: Sequence[AnyRow] = (await connection.execute(statement, values)).all()
    reported = {row.video_number: row.youtube_video_id for row in rows}
    claims = await video_lists.claims_of(connection, reported, 0)
    return [_report(row, claims) for row in rows]


def _report(row: AnyRow, claims: defaultdict[int, list[Sponsorship]]) -> ReviewedReport:
    sponsor = None if row.sponsor_number is None else sponsor_ref(row)
    is_merged = sponsor is not None and row.reported_slug not in (None, sponsor.slug)
    report = Report(
        id=public_ids.report(row.report_number),
        state=row.state,
        kind=row.kind,
        video=video(row),
        sponsor=sponsor,
        brand=row.brand,
        proposed_kind=row.proposed_kind,
        note=row.note,
        created_at=row.created_at,
        sponsorship=_sponsorship(row),
        reported_sponsor=row.reported_slug if is_merged else None,
        replaced_by=row.replaced_by and public_ids.report(row.replaced_by),
    )
    return ReviewedReport(
        report=report,
        account_id=row.account_id,
        youtuber=youtuber_ref(row),
        sponsorships=tuple(claims[row.video_number]),
        decided_at=row.decided_at,
        decided_by=row.decided_by,
        decision_note=row.decision_note,
        brand_sponsor=None,
        others=(),
    )


def _sponsorship(row: AnyRow) -> str | None:
    """Return the id of the sponsorship that a report is about; None if it is missing."""
    if row.kind == "missing" or row.sponsor_number is None:
        return None
    return public_ids.sponsorship(row.video_number, row.sponsor_number)
