"""Second factors and pending logins in Postgres."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.two_factor.ports import PendingLogin, StoredTotp
from auth_service.storage.site.account_security_tables import (
    pending_logins,
    recovery_codes,
    totp_secrets,
)


class TwoFactorTables:
    """Implement `TwoFactorStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def totp(self, account_id: str) -> StoredTotp | None:
        query = select(totp_secrets).where(totp_secrets.c.account_id == account_id)
        row = (await self._connection.execute(query)).first()
        if row is None:
            return None
        return StoredTotp(row.encrypted_secret, row.enabled_at, row.last_step)

    async def enable(self, account_id: str, totp: StoredTotp) -> bool:
        values = {name: getattr(totp, name) for name in StoredTotp.__dataclass_fields__}
        return await self._changes(
            pg_insert(totp_secrets)
            .values(account_id=account_id, **values)
            .on_conflict_do_nothing()
            .returning(totp_secrets.c.account_id)
        )

    async def use_step(self, account_id: str, step: int) -> bool:
        return await self._changes(
            update(totp_secrets)
            .where(totp_secrets.c.account_id == account_id, totp_secrets.c.last_step < step)
            .values(last_step=step)
            .returning(totp_secrets.c.account_id)
        )

    async def disable(self, account_id: str) -> bool:
        await self.replace_recovery_codes(account_id, ())
        return await self._changes(
            delete(totp_secrets)
            .where(totp_secrets.c.account_id == account_id)
            .returning(totp_secrets.c.account_id)
        )

    async def replace_recovery_codes(self, account_id: str, digests: Sequence[bytes]) -> None:
        await self._connection.execute(
            delete(recovery_codes).where(recovery_codes.c.account_id == account_id)
        )
        if digests:
            rows = [{"account_id": account_id, "code_sha256": digest} for digest in digests]
            await self._connection.execute(insert(recovery_codes), rows)

    async def use_recovery_code(self, account_id: str, digest: bytes) -> bool:
        return await self._changes(
            delete(recovery_codes)
            .where(
                recovery_codes.c.account_id == account_id, recovery_codes.c.code_sha256 == digest
            )
            .returning(recovery_codes.c.account_id)
        )

    async def count_recovery_codes(self, account_id: str) -> int:
        query = (
            select(func.count())
            .select_from(recovery_codes)
            .where(recovery_codes.c.account_id == account_id)
        )
        return (await self._connection.execute(query)).scalar_one()

    async def add_pending_login(self, secret_sha256: bytes, pending: PendingLogin) -> None:
        values = {name: getattr(pending, name) for name in PendingLogin.__dataclass_fields__}
        await self._connection.execute(
            insert(pending_logins).values(secret_sha256=secret_sha256, **values)
        )

    async def pending_login(
        self, secret_sha256: bytes, browser_sha256: bytes, now: datetime
    ) -> PendingLogin | None:
        query = select(pending_logins).where(
            pending_logins.c.secret_sha256 == secret_sha256,
            pending_logins.c.browser_sha256 == browser_sha256,
            pending_logins.c.expires_at > now,
        )
        row = (await self._connection.execute(query)).first()
        if row is None:
            return None
        return PendingLogin(**{n: getattr(row, n) for n in PendingLogin.__dataclass_fields__})

    async def end_pending_login(self, secret_sha256: bytes) -> bool:
        return await self._changes(
            delete(pending_logins)
            .where(pending_logins.c.secret_sha256 == secret_sha256)
            .returning(pending_logins.c.account_id)
        )

    async def end_pending_logins(self, account_id: str) -> None:
        """Delete all pending logins of an account, whose password is another now."""
        await self._connection.execute(
            delete(pending_logins).where(pending_logins.c.account_id == account_id)
        )

    async def _changes(self, statement: Any) -> bool:
        """Execute a statement; return whether it returns a row."""
        return (await self._connection.execute(statement)).first() is not None
