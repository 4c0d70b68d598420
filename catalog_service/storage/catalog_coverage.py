"""Reads of what the catalogue covers, and counts of what a filter excludes because a field is unknown."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import select

from catalog_service.domain import periods, public_ids
from catalog_service.domain.coverage import CatalogTotals, FilteredQuery, ScannedTotals, Scope
from catalog_service.domain.queries import (
    Page,
    Ranking,
    SponsorSearch,
    SponsorshipFilter,
    YoutuberSearch,
)
from catalog_service.storage import scanned_totals, unknown_fields
from catalog_service.storage.columns import AnyRow, AnySelect
from catalog_service.storage.connections import Database
from catalog_service.storage.lists import conditions as list_conditions
from catalog_service.storage.search.sponsors import SPONSORS
from catalog_service.storage.search.youtubers import YOUTUBERS
from catalog_service.storage.tables import catalog_state
from servicekit.concurrency.batching import RequestBatcher

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
_MAX_FOUND: Final = 1_000
"""Sponsors or youtubers that words find, of which left out videos are counted."""


class PostgresCoverage:
    """`CoverageStore` on Postgres; concurrent calls share a statement.

    Counts are cached for the version of the catalogue that was seen last, as many queries have the
    same filter. Call `catalog_totals` before the others: it sees the version.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._batcher = RequestBatcher[None, CatalogTotals](self._read, max_size=_MAX_BATCH)
        self._version: tuple[int, int] = (-1, -1)
        self._counts: dict[Any, AnyRow] = {}

    async def catalog_totals(self) -> CatalogTotals:
        return await self._batcher.submit(None)

    async def scanned(self, scope: Scope) -> ScannedTotals:
        return ScannedTotals(*await self._counted(*scanned_totals.statement_of(scope)))

    async def left_out(self, query: FilteredQuery) -> int:
        count = await self._count_of(query)
        return 0 if count is None else (await self._counted(*count))[0]

    async def _count_of(self, query: FilteredQuery) -> unknown_fields.Count | None:
        if isinstance(query, Ranking):
            return unknown_fields.of_ranking(query)
        if isinstance(query, SponsorshipFilter):
            return unknown_fields.of_relations(query)
        if isinstance(query, SponsorSearch):
            return unknown_fields.of_sponsors(await self._of_found_sponsors(query))
        return unknown_fields.of_youtubers(await self._of_found_youtubers(query))

    async def _of_found_sponsors(self, query: SponsorSearch) -> SponsorSearch:
        """Return the search by the numbers of those that its words find, whatever else it filters by."""
        fields = _filters_of(query, unknown_fields.SPONSOR_FIELDS)
        if query.words is None or not fields:
            return query
        async with self._database.reader() as connection:
            found = await SPONSORS.search(connection, replace(query, **fields), Page(_MAX_FOUND))
        numbers = tuple(public_ids.number(card.id) for card in found.entries)
        return replace(query, words=None, numbers=numbers)

    async def _of_found_youtubers(self, query: YoutuberSearch) -> YoutuberSearch:
        """Return the search by numbers, as `_of_found_sponsors` does."""
        fields = _filters_of(query, unknown_fields.YOUTUBER_FIELDS)
        if query.words is None or not fields:
            return query
        async with self._database.reader() as connection:
            found = await YOUTUBERS.search(connection, replace(query, **fields), Page(_MAX_FOUND))
        numbers = tuple(public_ids.number(card.id) for card in found.entries)
        return replace(query, words=None, numbers=numbers)

    async def _counted(self, statement: AnySelect, values: dict[str, Any]) -> AnyRow:
        if values.keys() & set(list_conditions.NAMES):
            # A list changes while the version of the catalogue does not.
            async with self._database.reader() as connection:
                return (await connection.execute(statement, values)).one()
        # A status changes with the day.
        changes = self._database.changes
        key = (self._version, periods.today(), statement, repr(sorted(values.items())))
        if key not in self._counts:
            async with self._database.reader() as connection:
                counted = (await connection.execute(statement, values)).one()
            if len(self._counts) >= _MAX_COUNTS:
                self._counts.clear()
            # A count by another server than that of the totals may be of another version.
            if self._version[0] == changes == self._database.changes:
                self._counts[key] = counted
            return counted
        return self._counts[key]

    async def _read(self, waiting: Sequence[None]) -> Sequence[CatalogTotals]:
        changes = self._database.changes
        async with self._database.reader() as connection:
            *totals, version = (await connection.execute(_TOTALS)).one()
        if (changes, version) > self._version:
            self._version = (changes, version)
            self._counts.clear()
        return [CatalogTotals(*totals)] * len(waiting)


def _filters_of(query: SponsorSearch | YoutuberSearch, fields: Iterable[str]) -> dict[str, Any]:
    """Return the filters of these names that the query has, as replacements that take them away."""
    return {name: None for name in fields if getattr(query, name) is not None}
