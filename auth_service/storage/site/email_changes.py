"""Changes of address in Postgres."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.email_changes.ports import EmailChange, Side
from auth_service.storage.site.account_security_tables import email_changes, pending_logins
from auth_service.storage.site.tables import mail_tokens
from auth_service.storage.tables import accounts

_FIELDS = tuple(EmailChange.__dataclass_fields__)


class EmailChangeTable:
    """Implement `EmailChangeStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def begin(self, change: EmailChange, old_token: bytes, new_token: bytes) -> None:
        await self.end(change.account_id)
        values = {name: getattr(change, name) for name in _FIELDS}
        await self._connection.execute(
            insert(email_changes).values(
                old_token_sha256=old_token, new_token_sha256=new_token, **values
            )
        )

    async def of_account(self, account_id: str, now: datetime) -> EmailChange | None:
        row = await self._living(email_changes.c.account_id == account_id, now)
        return None if row is None else _change_of(row)

    async def of_token(self, token: bytes, now: datetime) -> tuple[EmailChange, Side] | None:
        columns = email_changes.c
        is_old, is_new = columns.old_token_sha256 == token, columns.new_token_sha256 == token
        row = await self._living(is_old | is_new, now)
        if row is None:
            return None
        return _change_of(row), "old" if row.old_token_sha256 == token else "new"

    async def confirm(self, account_id: str, side: Side, now: datetime) -> None:
        await self._connection.execute(
            update(email_changes)
            .where(email_changes.c.account_id == account_id)
            .values({f"{side}_confirmed_at": now})
        )

    async def end(self, account_id: str) -> bool:
        statement = delete(email_changes).where(email_changes.c.account_id == account_id)
        ended = await self._connection.execute(statement.returning(email_changes.c.account_id))
        return ended.first() is not None

    async def apply(self, change: EmailChange) -> bool:
        address = {"email": change.new_email}
        try:
            async with self._connection.begin_nested():
                await self._connection.execute(
                    update(accounts).where(accounts.c.id == change.account_id).values(address)
                )
        except IntegrityError:  # another account has taken the address meanwhile
            return False
        for table in (mail_tokens, pending_logins):
            await self._connection.execute(
                delete(table).where(table.c.account_id == change.account_id)
            )
        return True

    async def _living(self, condition: Any, now: datetime) -> Any:
        query = select(email_changes).where(condition, email_changes.c.expires_at > now)
        return (await self._connection.execute(query)).first()


def _change_of(row: Any) -> EmailChange:
    return EmailChange(**{name: getattr(row, name) for name in _FIELDS})
