"""Passkeys and used challenges in Postgres."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.passkeys.ports import Passkey
from auth_service.storage.site.account_security_tables import passkeys, used_challenges


class PasskeyTable:
    """Implement `PasskeyStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def of_account(self, account_id: str) -> Sequence[Passkey]:
        query = (
            select(passkeys)
            .where(passkeys.c.account_id == account_id)
            .order_by(passkeys.c.created_at)
        )
        return [_passkey_of(row) for row in await self._connection.execute(query)]

    async def by_credential(self, credential_id: bytes) -> Passkey | None:
        query = select(passkeys).where(passkeys.c.credential_id == credential_id)
        row = (await self._connection.execute(query)).first()
        return None if row is None else _passkey_of(row)

    async def add(self, passkey: Passkey) -> bool:
        values = {name: getattr(passkey, name) for name in Passkey.__dataclass_fields__}
        statement = insert(passkeys).values(values).on_conflict_do_nothing()
        return await self._changed(statement.returning(passkeys.c.passkey_id)) is not None

    async def count_use(self, passkey_id: str, sign_count: int, now: datetime) -> bool:
        # Authenticators that do not count send 0 for ever (WebAuthn level 3, section 6.1.1).
        stored = passkeys.c.sign_count
        has_grown = (stored < sign_count) | ((stored == 0) & (sign_count == 0))
        statement = (
            update(passkeys)
            .where(passkeys.c.passkey_id == passkey_id, has_grown)
            .values(sign_count=sign_count, last_used_at=now)
        )
        return await self._changed(statement.returning(passkeys.c.passkey_id)) is not None

    async def rename(self, account_id: str, passkey_id: str, name: str) -> bool:
        statement = update(passkeys).where(*_owned(account_id, passkey_id)).values(name=name)
        return await self._changed(statement.returning(passkeys.c.passkey_id)) is not None

    async def remove(self, account_id: str, passkey_id: str) -> str | None:
        statement = delete(passkeys).where(*_owned(account_id, passkey_id))
        return await self._changed(statement.returning(passkeys.c.name))

    async def use_challenge(self, challenge: bytes, expires_at: datetime) -> bool:
        digest = hashlib.sha256(challenge).digest()
        statement = (
            insert(used_challenges)
            .values(challenge_sha256=digest, expires_at=expires_at)
            .on_conflict_do_nothing()
            .returning(used_challenges.c.challenge_sha256)
        )
        return await self._changed(statement) is not None

    async def _changed(self, statement: Any) -> Any:
        """Execute a statement; return the value that it returns, None when it changed nothing."""
        return (await self._connection.execute(statement)).scalar_one_or_none()


def _owned(account_id: str, passkey_id: str) -> tuple[Any, Any]:
    return passkeys.c.account_id == account_id, passkeys.c.passkey_id == passkey_id


def _passkey_of(row: Any) -> Passkey:
    return Passkey(**{name: getattr(row, name) for name in Passkey.__dataclass_fields__})
