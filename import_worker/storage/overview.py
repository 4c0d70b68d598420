"""The state of all imports, for operators."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from import_worker.domain.import_operations import FollowedState, OperatedView, QueueState
from import_worker.domain.imports import Import
from import_worker.domain.ports import StoreUnavailable
from import_worker.storage.rows import import_of

_COUNTS: Final = text(
    """
    SELECT state, count(*) AS number FROM imports
    WHERE state IN ('queued', 'running', 'waiting') GROUP BY state
    UNION ALL
    SELECT 'failed', count(*) FROM imports WHERE state = 'failed' AND finished_at >= :since
    """
)
_UNDER_WAY: Final = text(
    """
    SELECT * FROM imports WHERE state IN ('queued', 'running', 'waiting')
    ORDER BY created_at, id LIMIT :limit
    """
)
_FAILURES: Final = text(
    """
    SELECT * FROM imports WHERE state IN ('failed', 'cancelled') AND finished_at >= :since
    ORDER BY finished_at DESC, id LIMIT :limit
    """
)
_ACCOUNTS: Final = text(
    """
    SELECT import_id, (array_agg(account_id ORDER BY id))[1] AS first,
        count(DISTINCT account_id) AS number
    FROM import_requests WHERE import_id = ANY(:ids) GROUP BY import_id
    """
)
_COVERAGE: Final = text(
    """
    SELECT detector_version AS version, count(*) AS videos FROM imported_videos
    GROUP BY detector_version ORDER BY videos DESC, version LIMIT 10
    """
)
_LISTS: Final = text(
    """
    SELECT count(DISTINCT b.id) AS lists,
        count(*) FILTER (WHERE c.import_id IS NULL AND c.failure IS NULL) AS channels_left
    FROM bulk_imports AS b JOIN bulk_import_channels AS c ON c.bulk_import_id = b.id
    WHERE b.finished_at IS NULL
    """
)
_FOLLOWED: Final = text(
    """
    SELECT count(*) AS channels,
        count(*) FILTER (WHERE next_check_at IS NULL OR next_check_at <= :now) AS due,
        count(*) FILTER (WHERE next_check_at IS NULL) AS unchecked,
        min(next_check_at) FILTER (WHERE next_check_at <= :now) AS due_since,
        count(*) FILTER (WHERE next_refresh_at <= :now) AS refreshes_due,
        (SELECT count(*) FROM imports WHERE created_at >= :since AND NOT EXISTS (
            SELECT FROM import_requests WHERE import_requests.import_id = imports.id
        )) AS begun
    FROM imported_channels AS channels
    WHERE EXISTS (SELECT FROM follows WHERE follows.channel_id = channels.channel_id AND NOT paused)
    """
)


class PostgresOverviewStore:
    """`OverviewStore` on connections of its own."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def queue_state(self, now: datetime, since: datetime, limit: int) -> QueueState:
        values = {"since": since, "limit": limit}
        try:
            async with self._engine.connect() as connection:
                counts = await connection.execute(_COUNTS, {"since": since})
                lists = (await connection.execute(_LISTS)).one()
                instants = {"now": now, "since": since}
                followed = (await connection.execute(_FOLLOWED, instants)).one()
                return QueueState(
                    {row.state: row.number for row in counts},
                    await _views(connection, _UNDER_WAY, {"limit": limit}),
                    await _views(connection, _FAILURES, values),
                    [(row.version, row.videos) for row in await connection.execute(_COVERAGE)],
                    lists.lists,
                    lists.channels_left,
                    FollowedState(**followed._asdict()),
                )
        except (OperationalError, InterfaceError, PoolTimeout) as error:
            raise StoreUnavailable("Imports cannot be read now.", retry_after=2) from error

    async def view(self, import_: Import) -> OperatedView:
        async with self._engine.connect() as connection:
            return (await _with_accounts(connection, [import_]))[0]


async def _views(
    connection: AsyncConnection, query: Any, values: Mapping[str, object]
) -> Sequence[OperatedView]:
    rows = await connection.execute(query, values)
    return await _with_accounts(connection, [import_of(row) for row in rows])


async def _with_accounts(
    connection: AsyncConnection, imports: Sequence[Import]
) -> Sequence[OperatedView]:
    ids = [import_.import_id for import_ in imports]
    requests = {row.import_id: row for row in await connection.execute(_ACCOUNTS, {"ids": ids})}
    return [
        OperatedView(import_, requests[import_.import_id].first, requests[import_.import_id].number)
        if import_.import_id in requests
        else OperatedView(import_, "", 0)
        for import_ in imports
    ]
