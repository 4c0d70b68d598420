"""Reads what the catalogue has looked at, and what a filter leaves out of it."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import select

from catalog_service.domain.catalog_totals import CatalogTotals
from catalog_service.domain.queries import Ranking, SponsorSearch, SponsorshipFilter, YoutuberSearch
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.connections import Database
from catalog_service.storage.stats import left_out
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
        count = left_out.count_of(query)
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
