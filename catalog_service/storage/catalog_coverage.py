"""Reads what the catalogue has looked at, and what a filter leaves out of it."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Text,
    and_,
    bindparam,
    cast,
    func,
    or_,
    select,
)

from catalog_service.domain.coverage import CatalogTotals
from catalog_service.domain.queries import Ranking, SponsorSearch, SponsorshipFilter, YoutuberSearch
from catalog_service.storage import sponsorship_filter
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.connections import Database
from catalog_service.storage.sponsorship_filter import CONDITIONS, Conditions
from catalog_service.storage.tables import catalog_state, sponsorships, youtubers
from servicekit.concurrency.batching import RequestBatcher

_p, _y = sponsorships.c, youtubers.c
_UNKNOWN: Final[dict[str, ColumnElement[bool]]] = {
    "categories": _p.sponsor_category.is_(None),
    "content_category": _p.content_category.is_(None),
    "country": _p.country.is_(None),
}
_OF_YOUTUBERS: Final[dict[str, tuple[ColumnElement[Any], ColumnElement[bool]]]] = {
    "category": (_y.category, _y.category == bindparam("category", type_=Text)),
    "country": (_y.country, _y.country == bindparam("country", type_=Text)),
    "min_subscribers": (
        _y.subscribers,
        _y.subscribers >= bindparam("min_subscribers", type_=BigInteger),
    ),
    "max_subscribers": (
        _y.subscribers,
        _y.subscribers <= bindparam("max_subscribers", type_=BigInteger),
    ),
}
"""Filters of youtubers: the column that may be unknown, and the condition on it."""

Count = tuple[AnySelect, dict[str, Any]]
"""A statement that selects one number, and its parameters."""
_NAMES: Final = (
    "youtubers",
    "sponsored_youtubers",
    "videos",
    "sponsored_videos",
    "first_video",
    "last_video",
    "first_sponsored",
    "last_sponsored",
    "version",
)
_TOTALS: Final[AnySelect] = select(*(catalog_state.c[name] for name in _NAMES))
_MAX_BATCH: Final = 64
_MAX_COUNTS: Final = 1_000


class PostgresCoverage:
    """`CoverageStore` on Postgres; concurrent calls share a statement.

    Counts are cached for the version of the catalogue that was seen last, as many searches have the
    same filter.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._batcher = RequestBatcher[None, CatalogTotals](self._read, max_size=_MAX_BATCH)
        self._version = -1
        self._counts: dict[Any, int] = {}

    async def catalog_totals(self) -> CatalogTotals:
        return await self._batcher.submit(None)

    async def left_out(
        self, query: Ranking | SponsorshipFilter | SponsorSearch | YoutuberSearch
    ) -> int:
        """Return the count; call `catalog_totals` before, which sees the catalogue's version."""
        count = _count_of(query)
        if count is None:
            return 0
        statement, values = count
        key = (self._version, statement, repr(sorted(values.items())))
        if key not in self._counts:
            async with self._database.reader() as connection:
                counted = (await connection.execute(statement, values)).scalar_one()
            self._remember(key, counted)
            return counted
        return self._counts[key]

    def _remember(self, key: Any, counted: int) -> None:
        if len(self._counts) >= _MAX_COUNTS:
            self._counts.clear()
        self._counts[key] = counted

    async def _read(self, waiting: Sequence[None]) -> Sequence[CatalogTotals]:
        async with self._database.reader() as connection:
            *totals, version = (await connection.execute(_TOTALS)).one()
        if version > self._version:
            self._version = version
            self._counts.clear()
        return [CatalogTotals(*totals)] * len(waiting)


def _count_of(query: Ranking | SponsorshipFilter | SponsorSearch | YoutuberSearch) -> Count | None:
    """Return how to count; None if the query filters by no field that may be unknown."""
    if isinstance(query, YoutuberSearch):
        values = {
            name: getattr(query, name) for name in _OF_YOUTUBERS if getattr(query, name) is not None
        }
        return (_of_youtubers(tuple(values)), values) if values else None
    if isinstance(query, SponsorSearch):
        if query.categories is None:
            return None
        return _of_sponsorships(("categories",), None), {"categories": query.categories}
    conditions, values = sponsorship_filter.conditions_of(query)
    if not _UNKNOWN.keys() & set(conditions):
        return None
    if isinstance(query, Ranking):
        return _of_sponsorships(conditions, None), values
    return _of_sponsorships(conditions, "sponsor_id"), values | {"number": query.number}


@cache
def _of_sponsorships(conditions: Conditions, side: str | None) -> AnySelect:
    """Count videos that match or are unknown in every filtered field, and unknown in one at least."""
    filtered = [name for name in conditions if name in _UNKNOWN]
    clauses = [CONDITIONS[name] for name in conditions if name not in _UNKNOWN]
    if side is not None:
        clauses.append(_p[side] == bindparam("number", type_=BigInteger))
    if len(filtered) == 1:
        clauses.append(_UNKNOWN[filtered[0]])
    else:
        clauses += [or_(CONDITIONS[name], _UNKNOWN[name]) for name in filtered]
        clauses.append(or_(*(_UNKNOWN[name] for name in filtered)))
    # Day and video in the order of the partial indexes.
    found = select(_p.published_on, _p.video_id).where(*clauses).distinct().subquery("found")
    return select(func.count().label("videos")).select_from(found)


@cache
def _of_youtubers(names: tuple[str, ...]) -> AnySelect:
    """Sum up sponsored videos of youtubers, who have each by themselves."""
    filters = [_OF_YOUTUBERS[name] for name in names]
    matches = [or_(column.is_(None), condition) for column, condition in filters]
    unknown = or_(*(column.is_(None) for column, _ in filters))
    total = cast(func.coalesce(func.sum(_y.sponsored_videos), 0), BigInteger)
    return select(total.label("videos")).where(and_(*matches), unknown, _y.sponsored_videos > 0)
