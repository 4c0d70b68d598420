"""Mails that wait for the mail server, in Postgres, due by its clock, which all replicas share."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.site.mails import WaitingMail
from auth_service.storage.site.tables import mail_outbox

_COLUMNS: Final = mail_outbox.c


class OutboxTable:
    """The waiting mails of `SiteStore`, on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, content: bytes, lifetime: timedelta) -> None:
        now = func.clock_timestamp()
        values = {"content": content, "due_at": now, "expires_at": now + lifetime}
        await self._connection.execute(insert(mail_outbox).values(values))

    async def claim(self, limit: int, max_attempts: int, lease: timedelta) -> Sequence[WaitingMail]:
        now = func.clock_timestamp()
        due = (
            select(_COLUMNS.id)
            .where(_COLUMNS.due_at <= now, _COLUMNS.expires_at > now)
            .where(_COLUMNS.attempts < max_attempts)
            .order_by(_COLUMNS.due_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
            .cte("due")
        )
        statement = (
            update(mail_outbox)
            .where(_COLUMNS.id.in_(select(due.c.id)))
            .values(due_at=now + lease, attempts=_COLUMNS.attempts + 1)
            .returning(_COLUMNS.id, _COLUMNS.content, _COLUMNS.attempts)
        )
        rows = (await self._connection.execute(statement)).all()
        return [WaitingMail(row.id, row.content, row.attempts) for row in rows]

    async def postpone(self, mail_id: int, pause: timedelta) -> None:
        due_at = func.clock_timestamp() + pause
        await self._connection.execute(
            update(mail_outbox).where(_COLUMNS.id == mail_id).values(due_at=due_at)
        )

    async def drop(self, mail_id: int) -> None:
        await self._connection.execute(delete(mail_outbox).where(_COLUMNS.id == mail_id))
