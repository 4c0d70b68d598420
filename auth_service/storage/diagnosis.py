"""What checks read from Postgres."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service.domain.diagnosis.checks import FAILING_ATTEMPTS, WaitingMails
from auth_service.storage.site.tables import mail_outbox


def database_time(engine: AsyncEngine) -> Callable[[], Awaitable[datetime]]:
    """Return a reader of the database's clock."""

    async def read() -> datetime:
        async with engine.connect() as connection:
            # The connection is there by now, so that only this question's own way counts.
            await connection.execute(text("SELECT 1"))
            return (await connection.execute(text("SELECT clock_timestamp()"))).scalar_one()

    return read


def waiting_mails(engine: AsyncEngine) -> Callable[[], Awaitable[WaitingMails]]:
    """Return a reader of the mails that wait for the mail server."""

    async def read() -> WaitingMails:
        table = mail_outbox.c
        is_failing = table.attempts >= FAILING_ATTEMPTS
        query = select(func.count(), func.count().filter(is_failing)).where(
            table.expires_at > func.clock_timestamp()
        )
        async with engine.connect() as connection:
            number, failing = (await connection.execute(query)).one()
        return WaitingMails(number, failing)

    return read
