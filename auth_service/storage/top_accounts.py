"""The accounts that use most, from the ledger."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service.domain.operator_overview.model import TopAccount
from auth_service.storage.tables import accounts, usage_daily


class PostgresTopAccounts:
    """Implement `TopAccounts`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def top(self, first: date, limit: int) -> Sequence[TopAccount]:
        total = func.sum(usage_daily.c.requests)
        requests = total.label("requests")
        used = (
            select(usage_daily.c.account_id, requests)
            .where(usage_daily.c.day >= first)
            .group_by(usage_daily.c.account_id)
            .having(total > 0)
            .order_by(requests.desc(), usage_daily.c.account_id)
            .limit(limit)
            .subquery()
        )
        query = (
            select(accounts.c.id, accounts.c.email, accounts.c.plan_id, used.c.requests)
            .join(used, used.c.account_id == accounts.c.id)
            .order_by(used.c.requests.desc(), accounts.c.id)
        )
        async with self._engine.connect() as connection:
            rows = await connection.execute(query)
            return [TopAccount(row.id, row.email, row.plan_id, int(row.requests)) for row in rows]
