"""Calls by day, tool and credential in Postgres."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Final

from sqlalchemy import ARRAY, Text, bindparam, cast, func, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.calls import CallBatch, CredentialName, DailyCalls
from auth_service.storage.credential_names import with_names

# One statement, so that a batch and its sums come together or not at all. Rows are taken in one
# order: two batches wait for each other instead of deadlocking. Accounts that are gone have none.
_RECORD: Final = text(
    """
    WITH batch AS (
        INSERT INTO call_batches VALUES (:batch_id, now() + interval '1 day')
        ON CONFLICT DO NOTHING RETURNING batch_id
    ), added AS (
        INSERT INTO calls_daily (account_id, day, tool, credential_id, calls, errors, latencies)
        SELECT account_id, day, tool, credential_id, calls, errors, latencies
        FROM batch, jsonb_to_recordset(:sums) AS s (
            account_id text, day date, tool text, credential_id text,
            calls bigint, errors bigint, latencies bigint[]
        )
        WHERE account_id IN (SELECT id FROM accounts)
        ORDER BY 1, 2, 3, 4
        ON CONFLICT (account_id, day, tool, credential_id) DO UPDATE SET
            calls = calls_daily.calls + excluded.calls,
            errors = calls_daily.errors + excluded.errors,
            latencies = ARRAY(
                SELECT coalesce(a, 0) + coalesce(b, 0)
                FROM unnest(calls_daily.latencies, excluded.latencies) WITH ORDINALITY AS u (a, b, n)
                ORDER BY n
            )
    )
    SELECT count(*) FROM batch
    """
).bindparams(bindparam("sums", type_=JSONB))

_DAYS: Final = text(
    """
    SELECT day, tool, credential_id, coalesce(requests, 0) AS requests,
           coalesce(calls, 0) AS calls, coalesce(errors, 0) AS errors, latencies
    FROM (SELECT * FROM usage_daily WHERE account_id = :account_id AND day >= :first AND day < :following) AS u
    FULL JOIN
         (SELECT * FROM calls_daily WHERE account_id = :account_id AND day >= :first AND day < :following) AS c
    USING (account_id, day, tool, credential_id)
    ORDER BY day, tool, credential_id
    """
)


class PostgresCalls:
    """`CallStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def record(self, batch: CallBatch) -> bool:
        sums = [
            {
                "account_id": item.account_id,
                "day": item.day,
                "tool": item.tool,
                "credential_id": item.credential_id,
                "calls": item.calls,
                "errors": item.errors,
                "latencies": list(item.latencies),
            }
            for item in batch.sums
        ]
        values = {"batch_id": batch.batch_id, "sums": sums}
        return bool((await self._connection.execute(_RECORD, values)).scalar_one())

    async def days(self, account_id: str, first: date, following: date) -> Sequence[DailyCalls]:
        values = {"account_id": account_id, "first": first, "following": following}
        return [
            DailyCalls(
                row.day,
                row.tool,
                row.credential_id,
                int(row.requests),
                row.calls,
                row.errors,
                tuple(row.latencies or ()),
            )
            for row in await self._connection.execute(_DAYS, values)
        ]

    async def credentials(self, credential_ids: Collection[str]) -> Mapping[str, CredentialName]:
        used = select(
            func.unnest(cast(list(credential_ids), ARRAY(Text))).label("credential_id")
        ).subquery()
        return {
            row.credential_id: CredentialName(row.name, row.member)
            for row in await self._connection.execute(with_names(used))
        }
