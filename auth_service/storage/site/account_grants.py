"""The grants of accounts, as operators see them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.account_access import AccountGrant
from auth_service.storage.oauth.tables import clients, codes, devices, grants
from auth_service.storage.site.organisations import remembered_consents_of
from auth_service.storage.site.tables import remembered_consents
from auth_service.storage.tables import accounts

_MAX_GRANTS: Final = 1_000


class AccountGrantTable:
    """Implement `GrantStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def of_account(self, account_id: str, now: datetime) -> Sequence[AccountGrant]:
        return await self._select(
            or_(grants.c.account_id == account_id, grants.c.member_id == account_id),
            grants.c.revoked_at.is_(None),
            grants.c.expires_at > now,
        )

    async def revoke(self, grant_id: str, now: datetime) -> AccountGrant | None:
        found = await self._connection.execute(select(grants).where(grants.c.grant_id == grant_id))
        row = found.first()
        if row is None:
            return None
        # Before the grant, for the reason that `PostgresSiteStore` gives.
        for table, is_open in (
            (codes, codes.c.used_at.is_(None)),
            (devices, devices.c.finished_at.is_(None)),
        ):
            await self._connection.execute(delete(table).where(is_open, *_like(table, row)))
        await self._connection.execute(
            delete(remembered_consents).where(remembered_consents_of(row.account_id, row.member_id))
        )
        await self._connection.execute(
            update(grants)
            .where(grants.c.grant_id == grant_id, grants.c.revoked_at.is_(None))
            .values(revoked_at=now, revoked_because="revoked_by_operator")
        )
        return next(iter(await self._select(grants.c.grant_id == grant_id)), None)

    async def _select(self, *conditions: Any) -> Sequence[AccountGrant]:
        name = func.coalesce(clients.c.metadata["client_name"].astext, grants.c.client_id)
        query = (
            select(grants, name.label("client_name"), accounts.c.email.label("member"))
            .outerjoin(clients, clients.c.client_id == grants.c.client_id)
            .outerjoin(accounts, accounts.c.id == grants.c.member_id)
            .where(*conditions)
            .order_by(grants.c.created_at.desc(), grants.c.grant_id)
            .limit(_MAX_GRANTS)
        )
        return [
            AccountGrant(
                row.grant_id,
                row.account_id,
                row.client_id,
                row.client_name,
                tuple(row.scopes),
                row.created_at,
                row.expires_at,
                row.last_used_at,
                row.revoked_at,
                row.member,
            )
            for row in await self._connection.execute(query)
        ]


def _like(table: Any, grant: Any) -> list[Any]:
    """Return the conditions for what the same person approved for the same client and account."""
    return [
        table.c.client_id == grant.client_id,
        table.c.account_id == grant.account_id,
        table.c.member_id.is_not_distinct_from(grant.member_id),
    ]
