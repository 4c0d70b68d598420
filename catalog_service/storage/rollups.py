"""Totals and rollups, worked out again from the sponsorships and videos of what changed."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Date,
    Executable,
    Subquery,
    Table,
    Update,
    bindparam,
    cast,
    column,
    delete,
    func,
    insert,
    literal_column,
    select,
    text,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.storage.tables import (
    catalog_state,
    sponsor_months,
    sponsor_youtubers,
    sponsors,
    sponsorships,
    videos,
    youtubers,
)

_p = sponsorships.c
_BIGINTS: Final = ARRAY(BigInteger)
_DATES: Final = ARRAY(Date)


@dataclass(slots=True)
class Touched:
    """What a batch changed, as far as totals and rollups rest on it."""

    sponsors: set[int] = field(default_factory=set[int])
    youtubers: set[int] = field(default_factory=set[int])
    pairs: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    months: set[tuple[int, date]] = field(default_factory=set[tuple[int, date]])

    def sponsorship(self, sponsor: int, youtuber: int, published_on: date) -> None:
        self.sponsors.add(sponsor)
        self.youtubers.add(youtuber)
        self.pairs.add((sponsor, youtuber))
        self.months.add((sponsor, published_on.replace(day=1)))


def _rows(*columns: tuple[str, ARRAY[Any]]) -> Any:
    """Array parameters of one length, side by side as rows."""
    return (
        func.unnest(*(bindparam(name, type_=type_) for name, type_ in columns))
        .table_valued(*(column(name, type_.item_type) for name, type_ in columns))
        .render_derived()
    )


def _total(value: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(value), 0), BigInteger)


_content: Final = func.coalesce(_p.content_category, literal_column("''"))
_pairs = _rows(("sponsor", _BIGINTS), ("youtuber", _BIGINTS))
_months = _rows(("sponsor", _BIGINTS), ("month", _DATES))
_numbers = _rows(("numbers", _BIGINTS))

_PAIRS: Final[tuple[Executable, ...]] = (
    delete(sponsor_youtubers).where(
        sponsor_youtubers.c.sponsor_id == _pairs.c.sponsor,
        sponsor_youtubers.c.youtuber_id == _pairs.c.youtuber,
    ),
    insert(sponsor_youtubers).from_select(
        ["sponsor_id", "youtuber_id", "videos", "views", "first_seen", "last_seen"],
        select(
            _p.sponsor_id,
            _p.youtuber_id,
            func.count(),
            _total(_p.views),
            func.min(_p.published_on),
            func.max(_p.published_on),
        )
        .where(_p.sponsor_id == _pairs.c.sponsor, _p.youtuber_id == _pairs.c.youtuber)
        .group_by(_p.sponsor_id, _p.youtuber_id),
    ),
)
_MONTHS: Final[tuple[Executable, ...]] = (
    delete(sponsor_months).where(
        sponsor_months.c.sponsor_id == _months.c.sponsor,
        sponsor_months.c.month == _months.c.month,
    ),
    insert(sponsor_months).from_select(
        ["sponsor_id", "month", "content_category", "videos", "views"],
        select(
            _p.sponsor_id,
            _months.c.month,
            _content,
            func.count(),
            _total(_p.views),
        )
        .where(
            _p.sponsor_id == _months.c.sponsor,
            _p.published_on >= _months.c.month,
            _p.published_on < _months.c.month + text("interval '1 month'"),
        )
        .group_by(_p.sponsor_id, _months.c.month, _content),
    ),
)


def _set(table: Table, totals: Subquery) -> Update:
    """Sets the totals of a table's rows; `number` says whose they are."""
    names = [name for name in totals.c.keys() if name != "number"]  # noqa: SIM118
    return (
        update(table)
        .where(table.c.id == totals.c.number)
        .values({name: totals.c[name] for name in names})
    )


def _sponsor_totals() -> Executable:
    held = sponsor_youtubers.c
    totals = (
        select(
            _numbers.c.numbers.label("number"),
            _total(held.videos).label("videos"),
            func.count(held.youtuber_id).label("youtubers"),
            _total(held.views).label("views"),
            func.min(held.first_seen).label("first_seen"),
            func.max(held.last_seen).label("last_seen"),
        )
        .select_from(_numbers.outerjoin(sponsor_youtubers, held.sponsor_id == _numbers.c.numbers))
        .group_by(_numbers.c.numbers)
    )
    return _set(sponsors, totals.subquery())


def _youtuber_totals() -> Update:
    scanned = (
        select(
            func.count().label("videos_scanned"),
            func.min(videos.c.published_on).label("first_video"),
            func.max(videos.c.published_on).label("last_video"),
        )
        .where(videos.c.youtuber_id == _numbers.c.numbers)
        .lateral("scanned")
    )
    sponsored = (
        select(
            func.count(_p.video_id.distinct()).label("sponsored_videos"),
            func.count(_p.sponsor_id.distinct()).label("sponsors"),
            func.min(_p.published_on).label("first_sponsored"),
            func.max(_p.published_on).label("last_sponsored"),
        )
        .where(_p.youtuber_id == _numbers.c.numbers)
        .lateral("sponsored")
    )
    totals = select(_numbers.c.numbers.label("number"), *scanned.c, *sponsored.c).select_from(
        _numbers.join(scanned, text("true")).join(sponsored, text("true"))
    )
    return _set(youtubers, totals.subquery())


_SPONSOR_TOTALS: Final = _sponsor_totals()
_YOUTUBER_TOTALS: Final = _youtuber_totals()
_IMPORTED_TOTALS: Final = _YOUTUBER_TOTALS.values(
    last_import=func.coalesce(youtubers.c.imported_at, func.now())
)
_STATE: Final = (
    update(catalog_state)
    .values(
        version=catalog_state.c.version + 1,
        first_sponsored=select(func.min(_p.published_on)).scalar_subquery(),
        last_sponsored=select(func.max(_p.published_on)).scalar_subquery(),
    )
    .returning(catalog_state.c.version)
)


async def bring_up_to_date(
    connection: AsyncConnection, touched: Touched, *, imported: bool = True
) -> int:
    """Works out again what rests on `touched`; gives the new version of the catalogue.

    `imported` tells whether the youtubers were looked at, or corrected only.
    """
    pairs, months = list(touched.pairs), list(touched.months)
    if pairs:
        values: dict[str, Any] = {
            "sponsor": [sponsor for sponsor, _ in pairs],
            "youtuber": [youtuber for _, youtuber in pairs],
        }
        for statement in _PAIRS:
            await connection.execute(statement, values)
    if months:
        values = {
            "sponsor": [sponsor for sponsor, _ in months],
            "month": [month for _, month in months],
        }
        for statement in _MONTHS:
            await connection.execute(statement, values)
    if touched.sponsors:
        await connection.execute(_SPONSOR_TOTALS, {"numbers": list(touched.sponsors)})
    if touched.youtubers:
        numbers = {"numbers": list(touched.youtubers)}
        await connection.execute(_IMPORTED_TOTALS if imported else _YOUTUBER_TOTALS, numbers)
    return (await connection.execute(_STATE)).scalar_one()
