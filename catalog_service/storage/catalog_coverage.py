"""Reads what the catalogue has looked at."""

from typing import Final

from sqlalchemy import select

from catalog_service.domain.catalog_totals import CatalogTotals
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.database import Database
from catalog_service.storage.tables import catalog_state

_NAMES: Final = (
    "youtubers",
    "sponsored_youtubers",
    "videos",
    "sponsored_videos",
    "first_video",
    "last_video",
    "first_sponsored",
    "last_sponsored",
)
_TOTALS: Final[AnySelect] = select(*(catalog_state.c[name] for name in _NAMES))


class PostgresCoverage:
    """`CatalogTotalsStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def catalog_totals(self) -> CatalogTotals:
        async with self._database.reader() as connection:
            return CatalogTotals(*(await connection.execute(_TOTALS)).one())
