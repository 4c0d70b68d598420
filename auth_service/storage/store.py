"""A transaction on accounts, keys and audit log in Postgres."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import Any, Final, TypeVar

from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from auth_service.domain.account_limits import AccountLimits
from auth_service.domain.accounts import Account
from auth_service.domain.api_keys import ApiKey
from auth_service.domain.calls import CallStore
from auth_service.domain.ports import AdmissionStore, AuditEntry, AuditEvent, Ledger
from auth_service.storage.billing_tables import billing_customers
from auth_service.storage.calls import PostgresCalls
from auth_service.storage.ledger import PostgresLedger
from auth_service.storage.ledger_admission import PostgresAdmissionStore
from auth_service.storage.oauth.tables import grants
from auth_service.storage.site.organisation_tables import memberships
from auth_service.storage.tables import (
    account_limits,
    accounts,
    api_keys,
    audit_log,
    deleted_accounts,
)
from servicekit.errors import Unavailable

_LIMITS: Final = (
    "monthly_requests",
    "burst_requests",
    "burst_refill_per_second",
    "concurrent_streams",
    "expires_at",
    "reason",
)
_ACCOUNTS: Final = select(accounts, *(account_limits.c[name] for name in _LIMITS)).outerjoin(
    account_limits, account_limits.c.account_id == accounts.c.id
)


class PostgresStore:
    """Implement `Store` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._ledger = PostgresLedger(connection)
        self._calls = PostgresCalls(connection)
        self._counting = PostgresAdmissionStore(connection)

    @property
    def ledger(self) -> Ledger:
        return self._ledger

    @property
    def calls(self) -> CallStore:
        return self._calls

    @property
    def counting(self) -> AdmissionStore:
        return self._counting

    async def account(self, account_id: str) -> Account | None:
        return await self._account(accounts.c.id == account_id)

    async def account_by_email(self, email: str) -> Account | None:
        return await self._account(accounts.c.email == email)

    async def accounts_of(self, account_ids: Sequence[str]) -> Sequence[Account]:
        query = _ACCOUNTS.where(accounts.c.id.in_(account_ids))
        return [_account_of(row) for row in await self._connection.execute(query)]

    async def _account(self, condition: Any) -> Account | None:
        row = (await self._connection.execute(_ACCOUNTS.where(condition))).first()
        return None if row is None else _account_of(row)

    async def accounts(self, after: str, limit: int, search: str = "") -> Sequence[Account]:
        query = (
            _ACCOUNTS.where(
                accounts.c.email > after, accounts.c.email.contains(search, autoescape=True)
            )
            .order_by(accounts.c.email)
            .limit(limit)
        )
        return [_account_of(row) for row in await self._connection.execute(query)]

    async def accounts_by_plan(self) -> Mapping[str, int]:
        query = select(accounts.c.plan_id, func.count().label("n")).group_by(accounts.c.plan_id)
        return {row.plan_id: row.n for row in await self._connection.execute(query)}

    async def change_operator(self, account_id: str, *, operator: bool) -> None:
        await self._change(account_id, is_operator=operator)

    async def add_account(self, account: Account) -> bool:
        statement = (
            pg_insert(accounts)
            .values(
                id=account.account_id,
                email=account.email,
                plan_id=account.plan_id,
                plan_by_operator=account.plan_by_operator,
                password_hash=account.password_hash,
                is_operator=account.is_operator,
                created_at=account.created_at,
                email_confirmed_at=account.email_confirmed_at,
            )
            .on_conflict_do_nothing(index_elements=["email"])
            .returning(accounts.c.id)
        )
        return (await self._connection.execute(statement)).first() is not None

    async def change_plan(self, account_id: str, plan_id: str, *, by_operator: bool) -> None:
        await self._change(account_id, plan_id=plan_id, plan_by_operator=by_operator)

    async def paid_plan(self, account_id: str) -> str | None:
        query = select(billing_customers.c.plan_id).where(
            billing_customers.c.account_id == account_id
        )
        return (await self._connection.execute(query)).scalar_one_or_none()

    async def change_limits(self, account_id: str, limits: AccountLimits | None) -> None:
        table = account_limits
        await self._connection.execute(delete(table).where(table.c.account_id == account_id))
        if limits is not None:
            values = {name: getattr(limits, name) for name in _LIMITS}
            await self._connection.execute(insert(table).values(account_id=account_id, **values))

    async def change_disabled(self, account_id: str, at: datetime | None) -> None:
        await self._change(account_id, disabled_at=at)

    async def _change(self, account_id: str, **values: object) -> None:
        statement = update(accounts).where(accounts.c.id == account_id).values(**values)
        await self._connection.execute(statement)

    async def lock_account(self, account_id: str) -> None:
        query = select(accounts.c.id).where(accounts.c.id == account_id).with_for_update()
        await self._connection.execute(query)

    async def key_by_digest(self, digest: bytes) -> ApiKey | None:
        query = select(api_keys).where(api_keys.c.sha256 == digest)
        row = (await self._connection.execute(query)).first()
        return None if row is None else _key_of(row)

    async def keys(self, account_id: str) -> Sequence[ApiKey]:
        query = (
            select(api_keys)
            .where(api_keys.c.account_id == account_id)
            .order_by(api_keys.c.created_at.desc(), api_keys.c.id)
        )
        return [_key_of(row) for row in await self._connection.execute(query)]

    async def add_key(self, key: ApiKey, digest: bytes) -> None:
        await self._connection.execute(
            insert(api_keys).values(
                id=key.key_id,
                account_id=key.account_id,
                sha256=digest,
                name=key.name,
                masked=key.masked,
                scopes=list(key.scopes),
                created_at=key.created_at,
                expires_at=key.expires_at,
                created_by=key.created_by,
            )
        )

    async def revoke_key(self, key_id: str, at: datetime) -> ApiKey | None:
        statement = (
            update(api_keys)
            .where(api_keys.c.id == key_id)
            .values(revoked_at=text("coalesce(revoked_at, :at)").bindparams(at=at))
            .returning(api_keys)
        )
        row = (await self._connection.execute(statement)).first()
        return None if row is None else _key_of(row)

    async def active_grant(
        self, grant_id: str, now: datetime
    ) -> tuple[str, tuple[str, ...]] | None:
        disabled = select(accounts.c.id).where(
            accounts.c.id == grants.c.member_id, accounts.c.disabled_at.is_not(None)
        )
        query = select(grants.c.account_id, grants.c.scopes).where(
            grants.c.grant_id == grant_id,
            grants.c.revoked_at.is_(None),
            grants.c.expires_at > now,
            ~disabled.exists(),
        )
        row = (await self._connection.execute(query)).first()
        return None if row is None else (row.account_id, tuple(row.scopes))

    async def member_grants(self, member_id: str, now: datetime) -> Sequence[tuple[str, str]]:
        query = select(grants.c.account_id, grants.c.grant_id).where(
            grants.c.member_id == member_id,
            grants.c.revoked_at.is_(None),
            grants.c.expires_at > now,
        )
        rows = await self._connection.execute(query)
        return [(row.account_id, row.grant_id) for row in rows]

    async def is_member(self, organisation_id: str, account_id: str) -> bool:
        query = select(memberships.c.role).where(
            memberships.c.organisation_id == organisation_id,
            memberships.c.account_id == account_id,
        )
        return (await self._connection.execute(query)).first() is not None

    async def require_consent(self, grant_id: str, now: datetime) -> None:
        await self._connection.execute(
            update(grants)
            .where(grants.c.grant_id == grant_id, grants.c.revoked_at.is_(None))
            .values(consent_required_at=now)
        )

    async def add_deleted_account(self, digest: bytes, account_id: str, until: datetime) -> None:
        statement = pg_insert(deleted_accounts).values(
            address_hmac=digest, account_id=account_id, expires_at=until
        )
        changes = {name: statement.excluded[name] for name in ("account_id", "expires_at")}
        await self._connection.execute(
            statement.on_conflict_do_update(index_elements=["address_hmac"], set_=changes)
        )

    async def deleted_account_id(self, digest: bytes, now: datetime) -> str | None:
        query = select(deleted_accounts.c.account_id).where(
            deleted_accounts.c.address_hmac == digest, deleted_accounts.c.expires_at > now
        )
        return (await self._connection.execute(query)).scalar_one_or_none()

    async def record_event(self, event: AuditEvent) -> None:
        await self._connection.execute(
            insert(audit_log).values(
                at=event.at,
                event=event.event,
                account_id=event.account_id,
                actor=event.actor,
                detail=event.detail,
                reason=event.reason,
            )
        )

    async def audit_log(
        self,
        account_id: str | None,
        limit: int,
        before: int | None = None,
        since: datetime | None = None,
    ) -> Sequence[AuditEntry]:
        query = select(audit_log).order_by(audit_log.c.id.desc()).limit(limit)
        if account_id is not None:
            query = query.where(audit_log.c.account_id == account_id)
        if before is not None:
            query = query.where(audit_log.c.id < before)
        if since is not None:
            query = query.where(audit_log.c.at >= since)
        rows = await self._connection.execute(query)
        return [
            AuditEntry(
                row.id,
                AuditEvent(row.at, row.event, row.account_id, row.actor, row.detail, row.reason),
            )
            for row in rows
        ]


S = TypeVar("S", bound=PostgresStore)


def transactions(
    engine: AsyncEngine, store: Callable[[AsyncConnection], S]
) -> Callable[[], AbstractAsyncContextManager[S]]:
    """Return an opener of stores on `engine` that raises `Unavailable` when the database is down."""

    @asynccontextmanager
    async def transaction() -> AsyncGenerator[S]:
        try:
            async with engine.begin() as connection:
                yield store(connection)
        except (OperationalError, InterfaceError, PoolTimeout) as error:
            raise Unavailable(
                "Accounts cannot be read now. Try again in a few seconds.", retry_after=2
            ) from error

    return transaction


def _account_of(row: Any) -> Account:
    return Account(
        account_id=row.id,
        email=row.email,
        plan_id=row.plan_id,
        created_at=row.created_at,
        disabled_at=row.disabled_at,
        email_confirmed_at=row.email_confirmed_at,
        password_hash=row.password_hash,
        is_operator=row.is_operator,
        plan_by_operator=row.plan_by_operator,
        limits=None
        if row.reason is None
        else AccountLimits(**{name: getattr(row, name) for name in _LIMITS}),
    )


def _key_of(row: Any) -> ApiKey:
    return ApiKey(
        key_id=row.id,
        account_id=row.account_id,
        name=row.name,
        masked=row.masked,
        scopes=tuple(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
        created_by=row.created_by,
    )
