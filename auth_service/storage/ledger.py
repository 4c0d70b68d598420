"""The usage ledger in Postgres."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from sqlalchemy import ARRAY, Integer, Text, bindparam, func, select, text
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.usage import DailyUsage, Usage, UsageEntry
from auth_service.storage.tables import usage_daily

# One statement, so that an entry and its part of the day's sum come together or not at all. Rows
# are taken in one order, so that two batches with the same entries wait for each other instead of
# deadlocking.
_RECORD: Final = text(
    """
    WITH given AS (
        SELECT DISTINCT ON (entry_id) * FROM unnest(
            :entry_ids, :account_ids, :credential_ids, :tools, :admitted_ats, :costs
        ) AS g (entry_id, account_id, credential_id, tool, admitted_at, cost)
        ORDER BY entry_id
    ), added AS (
        INSERT INTO usage_entries (entry_id, account_id, credential_id, tool, admitted_at, cost)
        SELECT * FROM given ORDER BY entry_id
        ON CONFLICT (entry_id) DO NOTHING
        RETURNING account_id, credential_id, tool, admitted_at, cost
    ), summed AS (
        INSERT INTO usage_daily (account_id, day, tool, credential_id, requests)
        SELECT account_id, (admitted_at AT TIME ZONE 'UTC')::date, tool, credential_id, sum(cost)
        FROM added GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ON CONFLICT (account_id, day, tool, credential_id)
        DO UPDATE SET requests = usage_daily.requests + excluded.requests
    ), touched AS (
        UPDATE api_keys SET last_used_at = latest.at
        FROM (SELECT credential_id, max(admitted_at) AS at FROM added GROUP BY 1) AS latest
        WHERE api_keys.id = latest.credential_id
          AND (last_used_at IS NULL OR last_used_at < latest.at - interval '1 minute')
    ), touched_grants AS (
        UPDATE oauth_grants SET last_used_at = latest.at
        FROM (SELECT credential_id, max(admitted_at) AS at FROM added GROUP BY 1) AS latest
        WHERE oauth_grants.grant_id = latest.credential_id
          AND (last_used_at IS NULL OR last_used_at < latest.at - interval '1 minute')
    )
    SELECT count(*) FROM added
    """
).bindparams(
    bindparam("entry_ids", type_=ARRAY(Text)),
    bindparam("account_ids", type_=ARRAY(Text)),
    bindparam("credential_ids", type_=ARRAY(Text)),
    bindparam("tools", type_=ARRAY(Text)),
    bindparam("admitted_ats", type_=ARRAY(TIMESTAMP(timezone=True))),
    bindparam("costs", type_=ARRAY(Integer)),
)


class PostgresLedger:
    """`Ledger` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def record(self, entries: Sequence[UsageEntry]) -> int:
        if not entries:
            return 0
        result = await self._connection.execute(
            _RECORD,
            {
                "entry_ids": [e.entry_id for e in entries],
                "account_ids": [e.account_id for e in entries],
                "credential_ids": [e.credential_id for e in entries],
                "tools": [e.tool for e in entries],
                "admitted_ats": [e.admitted_at for e in entries],
                "costs": [e.cost for e in entries],
            },
        )
        return int(result.scalar_one())

    async def usage(self, account_id: str, first: date, following: date) -> Usage:
        table = usage_daily
        query = (
            select(table.c.day, table.c.tool, func.sum(table.c.requests).label("requests"))
            .where(
                table.c.account_id == account_id,
                table.c.day >= first,
                table.c.day < following,
            )
            .group_by(table.c.day, table.c.tool)
            .order_by(table.c.day, table.c.tool)
        )
        rows = (await self._connection.execute(query)).all()
        by_day = tuple(DailyUsage(row.day, row.tool, int(row.requests)) for row in rows)
        return Usage(sum(day.requests for day in by_day), by_day)

    async def total(self, first: date) -> int:
        query = select(func.coalesce(func.sum(usage_daily.c.requests), 0)).where(
            usage_daily.c.day >= first
        )
        return int((await self._connection.execute(query)).scalar_one())
