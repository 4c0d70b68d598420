"""The requests for imports."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import distinct, func, insert, select, text, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from import_worker.domain.ports import Request
from import_worker.storage.tables import import_requests, imports

UNFINISHED: Final = text("state IN ('queued', 'running', 'waiting')")
"""Literal, and as the unique index says it: Postgres has to recognise the one in the other."""


class PostgresRequests:
    """The part of `ImportStore` that is about requests, on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add_request(self, request: Request) -> None:
        await self._connection.execute(
            insert(import_requests).values(
                account_id=request.account_id,
                import_id=request.import_id,
                idempotency_key=request.idempotency_key,
                joined=request.joined,
                created_at=request.created_at,
                max_followed=request.max_followed,
            )
        )

    async def requests(self, import_id: str) -> Sequence[Request]:
        table = import_requests
        query = select(table).where(table.c.import_id == import_id).order_by(table.c.id)
        return [
            Request(
                row.account_id,
                row.import_id,
                row.idempotency_key,
                row.joined,
                row.created_at,
                row.cancelled_at,
                row.max_followed,
            )
            for row in await self._connection.execute(query)
        ]

    async def by_key(self, account_id: str, idempotency_key: str) -> str | None:
        query = select(import_requests.c.import_id).where(
            import_requests.c.account_id == account_id,
            import_requests.c.idempotency_key == idempotency_key,
        )
        return (await self._connection.execute(query)).scalar_one_or_none()

    async def under_way(self, account_id: str) -> int:
        requests = import_requests
        query = (
            select(func.count(distinct(imports.c.id)))
            .join(requests, requests.c.import_id == imports.c.id)
            .where(
                requests.c.account_id == account_id, requests.c.cancelled_at.is_(None), UNFINISHED
            )
        )
        return int((await self._connection.execute(query)).scalar_one())

    async def listed(self, account_id: str, before: str | None, limit: int) -> Sequence[str]:
        requests = select(import_requests.c.import_id).where(
            import_requests.c.account_id == account_id
        )
        order = tuple_(imports.c.created_at, imports.c.id)
        query = select(imports.c.id).where(imports.c.id.in_(requests))
        if before is not None:
            bound = select(imports.c.created_at, imports.c.id).where(imports.c.id == before)
            query = query.where(order < bound.scalar_subquery())
        query = query.order_by(imports.c.created_at.desc(), imports.c.id.desc()).limit(limit)
        return (await self._connection.execute(query)).scalars().all()

    async def leave(self, account_id: str, import_id: str, at: datetime) -> None:
        table = import_requests
        statement = update(table).where(
            table.c.account_id == account_id,
            table.c.import_id == import_id,
            table.c.cancelled_at.is_(None),
        )
        await self._connection.execute(statement.values(cancelled_at=at))

    async def rejoin(self, account_id: str, import_id: str) -> None:
        table = import_requests
        statement = update(table).where(
            table.c.account_id == account_id, table.c.import_id == import_id
        )
        await self._connection.execute(statement.values(cancelled_at=None))
