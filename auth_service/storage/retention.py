"""Throws single ledger entries away when they are old; the daily sums stay."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service.storage.tables import usage_entries
from servicekit import logs

_EVERY_SECONDS: Final = 3_600.0

log = logs.get(__name__)


async def discard_before(engine: AsyncEngine, moment: datetime) -> int:
    """Deletes the entries of calls admitted before `moment`; returns how many."""
    async with engine.begin() as connection:
        result = await connection.execute(
            delete(usage_entries).where(usage_entries.c.admitted_at < moment)
        )
    return int(result.rowcount)


async def keep_tidy(engine: AsyncEngine, days: int) -> None:
    """Discards every hour until it is cancelled."""
    while True:
        try:
            discarded = await discard_before(engine, datetime.now(UTC) - timedelta(days=days))
            log.info("ledger_tidied", discarded=discarded)
        except (SQLAlchemyError, OSError) as error:
            log.warning("ledger_not_tidied", error=str(error))
        await asyncio.sleep(_EVERY_SECONDS)
