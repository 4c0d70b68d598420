"""Deferred work in Postgres, due by the database's clock, which all replicas share."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.site.ports import DeferredWork
from auth_service.storage.site.tables import deferred_work

_COLUMNS: Final = deferred_work.c


class DeferredTable:
    """The deferred work of `SiteStore`, on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, kind: str, payload: Mapping[str, str], delay: timedelta) -> None:
        due_at = func.clock_timestamp() + delay
        values = {"kind": kind, "payload": dict(payload), "due_at": due_at}
        await self._connection.execute(insert(deferred_work).values(values))

    async def claim(self) -> DeferredWork | None:
        due = (
            select(_COLUMNS.id)
            .where(_COLUMNS.due_at <= func.clock_timestamp())
            .order_by(_COLUMNS.due_at)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        statement = delete(deferred_work).where(_COLUMNS.id == due.scalar_subquery())
        row = (await self._connection.execute(statement.returning(deferred_work))).first()
        return None if row is None else DeferredWork(row.id, row.kind, row.payload, row.attempts)

    async def postpone(self, work_id: int, pause: timedelta) -> None:
        changes = {"due_at": func.clock_timestamp() + pause, "attempts": _COLUMNS.attempts + 1}
        await self._connection.execute(
            update(deferred_work).where(_COLUMNS.id == work_id).values(changes)
        )

    async def drop(self, work_id: int) -> None:
        await self._connection.execute(delete(deferred_work).where(_COLUMNS.id == work_id))

    async def seconds_to_next(self) -> float | None:
        seconds = func.extract("epoch", func.min(_COLUMNS.due_at) - func.clock_timestamp())
        found: Any = (await self._connection.execute(select(seconds))).scalar_one()
        return None if found is None else float(found)
