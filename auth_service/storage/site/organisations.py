"""Organisations in Postgres."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import delete, func, insert, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.organisations.model import Invitation, Member, Membership, Role
from auth_service.storage.credential_names import with_names
from auth_service.storage.oauth.tables import codes, devices, grants
from auth_service.storage.site.organisation_tables import invitations, memberships, organisations
from auth_service.storage.site.tables import remembered_consents, web_sessions
from auth_service.storage.tables import accounts, usage_daily
from shapes.auth.auth import CredentialUsage


class OrganisationTables:
    """Implement `OrganisationStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, organisation_id: str, name: str) -> None:
        values = {"account_id": organisation_id, "name": name}
        await self._connection.execute(insert(organisations).values(values))

    async def rename(self, organisation_id: str, name: str) -> None:
        statement = update(organisations).where(organisations.c.account_id == organisation_id)
        await self._connection.execute(statement.values(name=name))

    async def names(self, account_ids: Sequence[str]) -> Mapping[str, str]:
        query = select(organisations).where(organisations.c.account_id.in_(account_ids))
        return {row.account_id: row.name for row in await self._connection.execute(query)}

    async def memberships(self, account_id: str) -> Sequence[Membership]:
        return await self._memberships(memberships.c.account_id == account_id)

    async def membership(self, organisation_id: str, account_id: str) -> Membership | None:
        found = await self._memberships(_of(organisation_id, account_id))
        return found[0] if found else None

    async def _memberships(self, condition: Any) -> Sequence[Membership]:
        query = (
            select(memberships.c.organisation_id, organisations.c.name, memberships.c.role)
            .join(organisations, organisations.c.account_id == memberships.c.organisation_id)
            .where(condition)
            .order_by(func.lower(organisations.c.name), memberships.c.organisation_id)
        )
        return [Membership(*row) for row in await self._connection.execute(query)]

    async def members(self, organisation_id: str) -> Sequence[Member]:
        table = memberships
        query = (
            select(table.c.account_id, accounts.c.email, table.c.role, table.c.joined_at)
            .join(accounts, accounts.c.id == table.c.account_id)
            .where(table.c.organisation_id == organisation_id)
            .order_by(table.c.role != "owner", accounts.c.email)
        )
        return [Member(*row) for row in await self._connection.execute(query)]

    async def add_member(
        self, organisation_id: str, account_id: str, role: Role, now: datetime
    ) -> None:
        await self._connection.execute(
            insert(memberships).values(
                organisation_id=organisation_id, account_id=account_id, role=role, joined_at=now
            )
        )

    async def change_role(self, organisation_id: str, account_id: str, role: Role) -> None:
        statement = update(memberships).where(_of(organisation_id, account_id)).values(role=role)
        await self._connection.execute(statement)

    async def end_connections(
        self, account_id: str, now: datetime, organisation_id: str | None = None
    ) -> Sequence[tuple[str, str]]:
        """Delete codes and devices before grants, for the reason that `PostgresSiteStore` gives."""
        for table, is_open in (
            (codes, codes.c.used_at.is_(None)),
            (devices, devices.c.finished_at.is_(None)),
        ):
            owned = _by_member(table, account_id, organisation_id)
            await self._connection.execute(delete(table).where(is_open, *owned))
        rows = await self._connection.execute(
            update(grants)
            .where(grants.c.revoked_at.is_(None), *_by_member(grants, account_id, organisation_id))
            .values(revoked_at=now, revoked_because="revoked_by_owner")
            .returning(grants.c.account_id, grants.c.grant_id)
        )
        return [(row.account_id, row.grant_id) for row in rows]

    async def end_membership(self, organisation_id: str, account_id: str) -> None:
        # A revoked grant outlives the membership without its member, for the figures of the usage.
        await self._connection.execute(
            update(grants)
            .where(
                grants.c.revoked_at.is_not(None), *_by_member(grants, account_id, organisation_id)
            )
            .values(member_id=None)
        )
        await self._connection.execute(
            update(web_sessions)
            .where(
                web_sessions.c.account_id == account_id,
                web_sessions.c.acting_for == organisation_id,
            )
            .values(acting_for=None)
        )
        await self._connection.execute(
            delete(remembered_consents).where(remembered_consents_of(organisation_id, account_id))
        )
        await self._connection.execute(delete(memberships).where(_of(organisation_id, account_id)))

    async def withdraw_invitations(
        self, organisation_id: str, *, invited_by: str, email: str = ""
    ) -> None:
        await self._connection.execute(
            delete(invitations).where(
                invitations.c.organisation_id == organisation_id,
                or_(invitations.c.invited_by == invited_by, invitations.c.email == email),
            )
        )

    async def add_invitation(self, invitation: Invitation, token_sha256: bytes) -> None:
        values = {name: getattr(invitation, name) for name in Invitation.__dataclass_fields__}
        statement = pg_insert(invitations).values(token_sha256=token_sha256, **values)
        changes = {
            name: statement.excluded[name]
            for name in (*values, "token_sha256")
            if name not in ("organisation_id", "email")
        }
        await self._connection.execute(
            statement.on_conflict_do_update(constraint="invitations_address", set_=changes)
        )

    async def invitations(self, organisation_id: str, now: datetime) -> Sequence[Invitation]:
        query = (
            select(invitations)
            .where(invitations.c.organisation_id == organisation_id, *_can_be_accepted(now))
            .order_by(invitations.c.created_at.desc())
        )
        return [_invitation_of(row) for row in await self._connection.execute(query)]

    async def invitation(self, token_sha256: bytes, now: datetime) -> Invitation | None:
        query = select(invitations).where(
            invitations.c.token_sha256 == token_sha256, *_can_be_accepted(now)
        )
        row = (await self._connection.execute(query)).first()
        return None if row is None else _invitation_of(row)

    async def delete_invitation(self, organisation_id: str, invitation_id: str) -> bool:
        deleted = await self._connection.execute(
            delete(invitations)
            .where(
                invitations.c.organisation_id == organisation_id,
                invitations.c.invitation_id == invitation_id,
            )
            .returning(invitations.c.invitation_id)
        )
        return deleted.first() is not None

    async def act_for(self, session_id: str, organisation_id: str | None) -> None:
        await self._connection.execute(
            update(web_sessions)
            .where(web_sessions.c.session_id == session_id)
            .values(acting_for=organisation_id)
        )

    async def usage_by_credential(
        self, organisation_id: str, first: date, following: date
    ) -> Sequence[CredentialUsage]:
        used = (
            select(usage_daily.c.credential_id, func.sum(usage_daily.c.requests).label("requests"))
            .where(
                usage_daily.c.account_id == organisation_id,
                usage_daily.c.day >= first,
                usage_daily.c.day < following,
            )
            .group_by(usage_daily.c.credential_id)
            .subquery()
        )
        query = with_names(used, used.c.requests).where(used.c.requests != 0)
        order = (used.c.requests.desc(), text("name"), used.c.credential_id)
        return [
            CredentialUsage(
                name=row.name,
                member=row.member,
                requests=int(row.requests),
                credential_id=row.credential_id,
            )
            for row in await self._connection.execute(query.order_by(*order))
        ]


def remembered_consents_of(account_id: str, member_id: str | None) -> Any:
    """Return the condition for the consents that were given for an account, or by one of its members.

    A member's consent is stored as the member's, with a fingerprint that ends with the organisation's id.
    """
    consents = remembered_consents.c
    people = select(memberships.c.account_id).where(memberships.c.organisation_id == account_id)
    by_members = consents.account_id.in_(people) & consents.fingerprint.endswith(
        f":{account_id}", autoescape=True
    )
    if member_id is None:
        return (consents.account_id == account_id) | by_members
    return (consents.account_id == member_id) & by_members


def _of(organisation_id: str, account_id: str) -> Any:
    table = memberships
    return (table.c.organisation_id == organisation_id) & (table.c.account_id == account_id)


def _by_member(table: Any, account_id: str, organisation_id: str | None) -> list[Any]:
    made = [table.c.member_id == account_id]
    return made if organisation_id is None else [*made, table.c.account_id == organisation_id]


def _can_be_accepted(now: datetime) -> list[Any]:
    """Return the conditions for invitations of today, from people who are not disabled."""
    active = select(accounts.c.id).where(accounts.c.disabled_at.is_(None))
    return [invitations.c.expires_at > now, invitations.c.invited_by.in_(active)]


def _invitation_of(row: Any) -> Invitation:
    return Invitation(**{name: getattr(row, name) for name in Invitation.__dataclass_fields__})
