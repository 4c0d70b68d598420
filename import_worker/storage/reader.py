"""Responses of a second reader by text, and the requests that channels have cost."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final

import msgspec
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from import_worker.domain.second_reader import Mention
from import_worker.storage.tables import reader_requests, reader_responses

RETENTION: Final = timedelta(days=180)
_MENTIONS: Final = msgspec.json.Decoder(tuple[Mention, ...])


class PostgresReaderStore:
    """`ReaderStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def responses(self, keys: Sequence[str]) -> Mapping[str, tuple[Mention, ...]]:
        table = reader_responses
        query = select(table.c.key, table.c.mentions).where(table.c.key.in_(keys))
        rows = await self._connection.execute(query)
        return {row.key: _MENTIONS.decode(row.mentions) for row in rows}

    async def save_response(
        self, key: str, model: str, mentions: Sequence[Mention], at: datetime
    ) -> None:
        table = reader_responses
        # As text: Postgres' own JSON has no NUL, not even an escaped one.
        values = {
            "model": model,
            "mentions": msgspec.json.encode(mentions).decode(),
            "created_at": at,
        }
        insertion = insert(table).values(key=key, **values)
        await self._connection.execute(
            insertion.on_conflict_do_update(index_elements=["key"], set_=values)
        )
        await self._connection.execute(delete(table).where(table.c.created_at < at - RETENTION))

    async def reserve_request(self, channel_id: str, day: date, limit: int) -> bool:
        if limit < 1:
            return False
        table = reader_requests
        await self._connection.execute(
            delete(table).where(table.c.channel_id == channel_id, table.c.day < day)
        )
        insertion = insert(table).values(channel_id=channel_id, day=day, requests=1)
        statement = insertion.on_conflict_do_update(
            index_elements=["channel_id", "day"],
            set_={"requests": table.c.requests + 1},
            where=table.c.requests < limit,
        ).returning(table.c.requests)
        return (await self._connection.execute(statement)).first() is not None
