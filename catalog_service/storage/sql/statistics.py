"""How many rows the views have and which of their columns are empty, by what Postgres' ANALYZE measured of the tables behind."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.domain.sql.dataset import TABLES
from catalog_service.domain.sql.ports import Statistics

_ROWS: Final = """
SELECT relname, reltuples::bigint FROM pg_class
WHERE reltuples > 0 AND relnamespace = 'public'::regnamespace AND relname = ANY(%(names)s)"""
_NULLS: Final = """
SELECT tablename, attname, null_frac FROM pg_stats
WHERE schemaname = 'public' AND tablename = ANY(%(names)s) AND NOT inherited"""
_STORED: Final = {
    "sponsors": "sponsors",
    "youtubers": "youtubers",
    "videos": "videos",
    "snapshots": "video_snapshots",
    "sponsorships": "sponsorships",
    "relations": "sponsor_youtubers",
    "months": "sponsor_months",
}
"""The stored table behind each view."""

_COLUMNS: Final = {
    "youtube_id": "video_id",
    "age_days": "observed_on",
    "video_count": "videos",
    "youtuber_count": "youtubers",
    "view_count": "views",
    "paid_video_count": "paid_videos",
    "paid_youtuber_count": "paid_youtubers",
    "paid_view_count": "paid_views",
    "scanned_video_count": "videos_scanned",
    "sponsored_video_count": "sponsored_videos",
    "sponsor_count": "sponsors",
    "paid_sponsor_count": "paid_sponsors",
    "category_group": "category",
    "sponsor_group": "sponsor_category",
}
"""The stored column behind a view's, where its name is another: it is null where that one is."""


_MAX_COUNTED: Final = 1_000_000
"""Rows of a table that are counted where Postgres has not measured it: after a first start it is small."""


async def read(connection: AsyncConnection) -> Mapping[str, Statistics]:
    """Return the statistics of each view that Postgres has measured, and the rows of small ones that it has not."""
    counts = {str(table): int(rows) for table, rows in await _all(connection, _ROWS)}
    counts |= await _counted(connection, [name for name in _STORED.values() if name not in counts])
    filled: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for table, column, nulls in await _all(connection, _NULLS):
        filled[str(table)][str(column)] = _share(float(nulls))
    return {
        table.name: Statistics(
            counts[stored],
            {
                column.name: filled[stored][name]
                for column in table.columns
                if (name := _COLUMNS.get(column.name, column.name)) in filled[stored]
            },
        )
        for table in TABLES
        if (stored := _STORED[table.name]) in counts
    }


async def _counted(connection: AsyncConnection, tables: Sequence[str]) -> Mapping[str, int]:
    if not tables:
        return {}
    statement = " UNION ALL ".join(
        f"SELECT '{table}', count(*) FROM (SELECT FROM {table} LIMIT {_MAX_COUNTED}) AS counted"  # noqa: S608 - names are those above
        for table in tables
    )
    counts = await _all(connection, statement)
    return {str(table): int(rows) for table, rows in counts if rows < _MAX_COUNTED}


async def _all(connection: AsyncConnection, sql: str) -> Sequence[Sequence[Any]]:
    result = await connection.exec_driver_sql(sql, {"names": list(_STORED.values())})
    return cast("Sequence[Sequence[Any]]", result.all())


def _share(nulls: float) -> float:
    """Return the share that is not null, in hundredths: 0 and 1 are said of no value and of every one alone."""
    filled = 1 - nulls
    return filled if filled in (0, 1) else min(max(round(filled, 2), 0.01), 0.99)
