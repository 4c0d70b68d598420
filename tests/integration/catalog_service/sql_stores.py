"""Parts of tests of callers' SQL: a slow statement, and a store without the checks."""

from __future__ import annotations

from catalog_service.storage.sql.runner import PostgresSql, SqlLimits

SLOW = (
    "WITH a AS MATERIALIZED (SELECT n FROM generate_series(1, 10000) n WHERE n * 0 = 0 AND n * 0 = 0 AND n * 0 = 0) "
    "SELECT count(*) FROM a x, a y, a z"
)
"""Its planner takes the list for short."""


def accept(_sql: str) -> tuple[str, ...]:
    """Accept any text, as checks would that are deceived."""
    return ()


def unchecked(store: PostgresSql, limits: SqlLimits) -> PostgresSql:
    return PostgresSql(store._database, store._url, limits, accept)
