"""One sponsor: its card, what it did in all, and its figures over a period."""

from collections import defaultdict
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    Double,
    bindparam,
    cast,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql import distinct_on

from catalog_service.domain.answers.shared import Period, SponsorCard, Totals
from catalog_service.domain.answers.sponsors import LatestCode, SeriesPoint, ShareOfVoice
from catalog_service.domain.periods import GRANULARITIES
from catalog_service.domain.ports import SponsorRecord, SponsorSums
from catalog_service.domain.queries import SponsorFigures
from catalog_service.storage.columns import (
    SPONSOR_CARD,
    YOUTUBER_REF,
    AnyRow,
    AnySelect,
    sponsor_card,
    youtuber_ref,
)
from catalog_service.storage.reading import Asking
from catalog_service.storage.tables import catalog_state, sponsors, sponsorships, youtubers

_p = sponsorships.c
_number: Final = bindparam("number", type_=BigInteger)
_LATEST_CODES: Final = 5
_CODES_LOOKED_AT: Final = 200

CARD: Final = select(*SPONSOR_CARD).where(sponsors.c.id == _number)
_RECORD: Final = CARD.add_columns(sponsors.c.aliases, sponsors.c.domains)
_KINDS: Final = (
    select(_p.kind, func.count().label("videos")).where(_p.sponsor_id == _number).group_by(_p.kind)
)


def _latest_codes() -> AnySelect:
    recent = (
        select(_p.code, _p.youtuber_id, _p.published_on, _p.video_id)
        .where(_p.sponsor_id == _number, _p.code.is_not(None))
        .order_by(_p.published_on.desc(), _p.video_id.desc())
        .limit(_CODES_LOOKED_AT)
        .subquery("recent")
    )
    last = (
        select(recent)
        .ext(distinct_on(recent.c.code))
        .order_by(recent.c.code, recent.c.published_on.desc(), recent.c.video_id.desc())
        .subquery("last")
    )
    return (
        select(last.c.code, last.c.published_on, *YOUTUBER_REF)
        .join(youtubers, youtubers.c.id == last.c.youtuber_id)
        .order_by(last.c.published_on.desc(), last.c.video_id.desc())
        .limit(_LATEST_CODES)
    )


_CODES: Final = _latest_codes()
_SPAN: Final = select(catalog_state.c.first_sponsored, catalog_state.c.last_sponsored)


async def record(connection: Asking, number: int) -> SponsorRecord:
    values = {"number": number}
    row = (await connection.execute(_RECORD, values)).one()
    kinds = await connection.execute(_KINDS, values)
    codes = await connection.execute(_CODES, values)
    return SponsorRecord(
        card=sponsor_card(row),
        aliases=tuple(row.aliases),
        domains=tuple(row.domains),
        kinds={row.kind: row.videos for row in kinds},
        latest_codes=tuple(
            LatestCode(code.code, youtuber_ref(code), code.published_on) for code in codes
        ),
    )


async def card(connection: Asking, number: int) -> SponsorCard:
    return sponsor_card((await connection.execute(CARD, {"number": number})).one())


async def sponsored_span(connection: Asking) -> Period | None:
    first, last = (await connection.execute(_SPAN)).one()
    return None if first is None else Period(first, last)


_in_period: Final = (
    _p.published_on >= bindparam("start", type_=Date),
    _p.published_on <= bindparam("end", type_=Date),
    _p.confidence >= bindparam("min_confidence", type_=Double),
)


def step_of(day: ColumnElement[Any], granularity: str) -> ColumnElement[Any]:
    """First day of the month, quarter or year that a day is in."""
    return cast(func.date_trunc(literal_column(f"'{granularity}'"), day), Date)


def _bigint(value: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(func.coalesce(value, 0), BigInteger)


def _totals(*step: ColumnElement[Any]) -> AnySelect:
    """Videos, youtubers, of these those with several videos, and views; by step if one is given.

    First by youtuber: to count different ones by hashing costs a fraction of doing it by sorting.
    """
    each = (
        select(*step, func.count().label("videos"), func.sum(_p.views).label("views"))
        .where(_p.sponsor_id == _number, *_in_period)
        .group_by(_p.youtuber_id, *step)
        .subquery("each")
    )
    steps = (each.c.step,) if step else ()
    return select(
        *steps,
        _bigint(func.sum(each.c.videos)).label("videos"),
        func.count().label("youtubers"),
        func.count().filter(each.c.videos > 1).label("repeated"),
        _bigint(func.sum(each.c.views)).label("views"),
    ).group_by(*steps)


_TOTALS: Final = _totals()
_SERIES: Final = {
    granularity: _totals(step_of(_p.published_on, granularity).label("step"))
    for granularity in GRANULARITIES
}
_PARTS: Final = (_p.content_category, _p.country, _p.kind)
_BREAKDOWN: Final = (
    select(func.grouping(*_PARTS).label("part"), *_PARTS, func.count().label("videos"))
    .where(_p.sponsor_id == _number, *_in_period)
    .group_by(func.grouping_sets(*_PARTS))
)
"""Videos by content category, country and kind; `part` tells what a row is by: 3, 5 or 6."""


def _voice() -> AnySelect:
    held = (
        select(_p.sponsor_id, func.count().label("videos"))
        .where(_p.sponsor_category == bindparam("category"), *_in_period)
        .group_by(_p.sponsor_id)
        .cte("held")
    )
    own = func.coalesce(
        select(held.c.videos).where(held.c.sponsor_id == _number).scalar_subquery(), 0
    )
    return select(
        cast(func.coalesce(func.sum(held.c.videos), 0), BigInteger).label("category_videos"),
        own.label("videos"),
        (func.count().filter(held.c.videos > own) + 1).label("rank"),
    )


def _voice_of_all_time() -> AnySelect:
    own = func.coalesce(
        select(sponsors.c.videos).where(sponsors.c.id == _number).correlate(None).scalar_subquery(),
        0,
    )
    return select(
        _bigint(func.sum(sponsors.c.videos)).label("category_videos"),
        own.label("videos"),
        (func.count().filter(sponsors.c.videos > own) + 1).label("rank"),
    ).where(sponsors.c.category == bindparam("category"))


_VOICE: Final = {False: _voice(), True: _voice_of_all_time()}
_BY_CATEGORY, _BY_COUNTRY, _BY_KIND = 3, 5, 6


async def figures(connection: Asking, query: SponsorFigures) -> SponsorSums:
    now = _values(query, query.period)
    total = (await connection.execute(_TOTALS, now)).one()
    previous = (await connection.execute(_TOTALS, _values(query, query.previous))).one()
    series = await connection.execute(_SERIES[query.granularity], now)
    parts: defaultdict[int, list[AnyRow]] = defaultdict(list)
    for row in await connection.execute(_BREAKDOWN, now):
        parts[row.part].append(row)
    return SponsorSums(
        card=await card(connection, query.sponsor),
        totals=Totals(total.videos, total.youtubers, total.views),
        previous_totals=Totals(previous.videos, previous.youtubers, previous.views),
        series=tuple(SeriesPoint(row.step, row.videos, row.youtubers, row.views) for row in series),
        by_category={row.content_category: row.videos for row in parts[_BY_CATEGORY]},
        by_country={row.country: row.videos for row in parts[_BY_COUNTRY]},
        by_kind={row.kind: row.videos for row in parts[_BY_KIND]},
        repeated_youtubers=total.repeated,
        share_of_voice=await _share_of_voice(connection, query, now),
    )


def _values(query: SponsorFigures, period: Period) -> dict[str, Any]:
    return {
        "number": query.sponsor,
        "start": period.from_date,
        "end": period.to_date,
        "min_confidence": query.min_confidence,
    }


async def _share_of_voice(
    connection: Asking, query: SponsorFigures, values: dict[str, Any]
) -> ShareOfVoice | None:
    if query.category is None:
        return None
    values = {**values, "category": query.category}
    row = (await connection.execute(_VOICE[query.is_of_all], values)).one()
    if not row.category_videos:
        return None
    share = row.videos / row.category_videos
    return ShareOfVoice(query.category, row.category_videos, share, row.rank)
