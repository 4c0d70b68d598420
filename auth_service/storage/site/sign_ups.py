"""Sign-ups that wait for their mailed link, in Postgres."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.site.ports import SignUp
from auth_service.storage.site.tables import sign_ups


class SignUpTable:
    """The sign-ups of `SiteStore`, on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, sign_up: SignUp) -> None:
        values = {name: getattr(sign_up, name) for name in SignUp.__dataclass_fields__}
        await self._connection.execute(insert(sign_ups).values(values))

    async def set_token(self, sign_up_id: str, token_sha256: bytes) -> None:
        await self._connection.execute(
            update(sign_ups)
            .where(sign_ups.c.sign_up_id == sign_up_id)
            .values(token_sha256=token_sha256)
        )

    async def count_links(self, email: str, since: datetime) -> int:
        query = (
            select(func.count())
            .select_from(sign_ups)
            .where(
                sign_ups.c.email == email,
                sign_ups.c.token_sha256.is_not(None),
                sign_ups.c.created_at > since,
            )
        )
        return (await self._connection.execute(query)).scalar_one()

    async def find(self, now: datetime, condition: Any, *order: Any) -> SignUp | None:
        """Return the first sign-up that meets the condition and can still be confirmed, or None."""
        living = sign_ups.c.expires_at > now
        query = select(sign_ups).where(condition, living).order_by(*order).limit(1)
        row = (await self._connection.execute(query)).first()
        if row is None:
            return None
        return SignUp(**{name: getattr(row, name) for name in SignUp.__dataclass_fields__})

    async def end(self, sign_up: SignUp) -> bool:
        ended = await self._connection.execute(
            delete(sign_ups)
            .where(sign_ups.c.email == sign_up.email)
            .returning(sign_ups.c.sign_up_id)
        )
        return sign_up.sign_up_id in {row.sign_up_id for row in ended}
