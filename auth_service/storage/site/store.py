"""A transaction of the site on Postgres."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Table, delete, func, insert, select, union_all, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.organisations.ports import OrganisationStore
from auth_service.domain.site.mails import Purpose, WaitingMail
from auth_service.domain.site.ports import (
    ClientReport,
    ConnectedApp,
    DeferredWork,
    PendingConsent,
    SignUp,
    WaitingDevice,
)
from auth_service.domain.site.sessions import WebSession
from auth_service.storage.oauth.tables import clients, codes, devices, grants
from auth_service.storage.site import tables as t
from auth_service.storage.site.account_grants import AccountGrantTable
from auth_service.storage.site.deferred import DeferredTable
from auth_service.storage.site.email_changes import EmailChangeTable
from auth_service.storage.site.mail_outbox import OutboxTable
from auth_service.storage.site.organisations import OrganisationTables, remembered_consents_of
from auth_service.storage.site.passkeys import PasskeyTable
from auth_service.storage.site.sign_ups import SignUpTable
from auth_service.storage.site.two_factor import TwoFactorTables
from auth_service.storage.store import PostgresStore
from auth_service.storage.tables import accounts, api_keys

_MAX_MAIL_TOKENS: Final = 100
"""Maximum per account and purpose: more than the rate limits of mails allow during a token's
lifetime, so that other people's requests displace none of the owner's."""


class PostgresSiteStore(PostgresStore):
    """Implement `SiteStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        super().__init__(connection)
        self._sign_ups = SignUpTable(connection)
        self._deferred = DeferredTable(connection)
        self._two_factor = TwoFactorTables(connection)
        self._passkeys = PasskeyTable(connection)
        self._organisations = OrganisationTables(connection)
        self._grants = AccountGrantTable(connection)
        self._outbox = OutboxTable(connection)
        self._email_changes = EmailChangeTable(connection)

    @property
    def two_factor(self) -> TwoFactorTables:
        return self._two_factor

    @property
    def passkeys(self) -> PasskeyTable:
        return self._passkeys

    @property
    def organisations(self) -> OrganisationStore:
        return self._organisations

    @property
    def grants(self) -> AccountGrantTable:
        return self._grants

    @property
    def email_changes(self) -> EmailChangeTable:
        return self._email_changes

    async def add_session(self, session: WebSession, secret_sha256: bytes) -> None:
        values = {name: getattr(session, name) for name in WebSession.__dataclass_fields__}
        await self._connection.execute(
            insert(t.web_sessions).values(session_sha256=secret_sha256, **values)
        )

    async def session(self, secret_sha256: bytes) -> WebSession | None:
        query = select(t.web_sessions).where(t.web_sessions.c.session_sha256 == secret_sha256)
        row = (await self._connection.execute(query)).first()
        return None if row is None else _session_of(row)

    async def touch_session(self, session_id: str, now: datetime) -> None:
        await self._connection.execute(
            update(t.web_sessions)
            .where(t.web_sessions.c.session_id == session_id)
            .values(last_seen_at=now)
        )

    async def sessions(self, account_id: str) -> Sequence[WebSession]:
        query = (
            select(t.web_sessions)
            .where(t.web_sessions.c.account_id == account_id)
            .order_by(t.web_sessions.c.last_seen_at.desc())
        )
        return [_session_of(row) for row in await self._connection.execute(query)]

    async def end_session(self, account_id: str, session_id: str) -> None:
        await self._connection.execute(
            delete(t.web_sessions).where(
                t.web_sessions.c.account_id == account_id,
                t.web_sessions.c.session_id == session_id,
            )
        )

    async def end_other_sessions(self, account_id: str, session_id: str | None) -> None:
        await self._connection.execute(
            delete(t.web_sessions).where(
                t.web_sessions.c.account_id == account_id,
                t.web_sessions.c.session_id != (session_id or ""),
            )
        )

    async def add_sign_up(self, sign_up: SignUp) -> None:
        await self._sign_ups.add(sign_up)

    async def set_sign_up_token(self, sign_up_id: str, token_sha256: bytes) -> None:
        await self._sign_ups.set_token(sign_up_id, token_sha256)

    async def sign_up_of_token(self, token_sha256: bytes, now: datetime) -> SignUp | None:
        return await self._sign_ups.find(now, t.sign_ups.c.token_sha256 == token_sha256)

    async def lock_address(self, email: str) -> None:
        key = func.hashtextextended(email, 0)
        await self._connection.execute(select(func.pg_advisory_xact_lock(key)))

    async def count_sign_up_links(self, email: str, since: datetime) -> int:
        return await self._sign_ups.count_links(email, since)

    async def newest_sign_up(
        self, email: str, browser_sha256: bytes, now: datetime
    ) -> SignUp | None:
        order = (t.sign_ups.c.browser_sha256 != browser_sha256, t.sign_ups.c.created_at.desc())
        return await self._sign_ups.find(now, t.sign_ups.c.email == email, *order)

    async def newest_sign_up_of_browser(
        self, browser_sha256: bytes, now: datetime
    ) -> SignUp | None:
        began_there = t.sign_ups.c.browser_sha256 == browser_sha256
        return await self._sign_ups.find(now, began_there, t.sign_ups.c.created_at.desc())

    async def end_sign_ups(self, sign_up: SignUp) -> bool:
        return await self._sign_ups.end(sign_up)

    async def defer(self, kind: str, payload: Mapping[str, str], delay: timedelta) -> None:
        await self._deferred.add(kind, payload, delay)

    async def claim_deferred(self) -> DeferredWork | None:
        return await self._deferred.claim()

    async def postpone_deferred(self, work_id: int, pause: timedelta) -> None:
        await self._deferred.postpone(work_id, pause)

    async def drop_deferred(self, work_id: int) -> None:
        await self._deferred.drop(work_id)

    async def seconds_to_deferred(self) -> float | None:
        return await self._deferred.seconds_to_next()

    async def add_mail(self, content: bytes, lifetime: timedelta) -> None:
        await self._outbox.add(content, lifetime)

    async def claim_mails(
        self, limit: int, max_attempts: int, lease: timedelta
    ) -> Sequence[WaitingMail]:
        return await self._outbox.claim(limit, max_attempts, lease)

    async def postpone_mail(self, mail_id: int, pause: timedelta) -> None:
        await self._outbox.postpone(mail_id, pause)

    async def drop_mail(self, mail_id: int) -> None:
        await self._outbox.drop(mail_id)

    async def change_password(self, account_id: str, password_hash: str | None) -> None:
        await self._change(account_id, password_hash=password_hash)
        await self._two_factor.end_pending_logins(account_id)
        await self._email_changes.end(account_id)
        await self._connection.execute(
            delete(t.mail_tokens).where(
                t.mail_tokens.c.account_id == account_id, t.mail_tokens.c.purpose == "reset"
            )
        )

    async def renew_hash(self, account_id: str, password_hash: str) -> None:
        await self._change(account_id, password_hash=password_hash)

    async def confirm_email(self, account_id: str, now: datetime) -> None:
        await self._change(account_id, email_confirmed_at=now)

    async def delete_account(self, account_id: str) -> None:
        await self._connection.execute(delete(accounts).where(accounts.c.id == account_id))

    async def add_mail_token(
        self, token_sha256: bytes, account_id: str, purpose: Purpose, expires_at: datetime
    ) -> None:
        table = t.mail_tokens
        oldest = (
            select(table.c.token_sha256)
            .where(table.c.account_id == account_id, table.c.purpose == purpose)
            .order_by(table.c.expires_at.desc())
            .offset(_MAX_MAIL_TOKENS - 1)
        )
        await self._connection.execute(delete(table).where(table.c.token_sha256.in_(oldest)))
        await self._connection.execute(
            insert(t.mail_tokens).values(
                token_sha256=token_sha256,
                account_id=account_id,
                purpose=purpose,
                expires_at=expires_at,
            )
        )

    async def count_mail_tokens(self, account_id: str, purpose: Purpose, now: datetime) -> int:
        table = t.mail_tokens
        query = (
            select(func.count())
            .select_from(table)
            .where(
                table.c.account_id == account_id,
                table.c.purpose == purpose,
                table.c.expires_at > now,
            )
        )
        return (await self._connection.execute(query)).scalar_one()

    async def mail_token_account(
        self, token_sha256: bytes, purpose: Purpose, now: datetime
    ) -> str | None:
        table = t.mail_tokens
        query = select(table.c.account_id).where(
            table.c.token_sha256 == token_sha256,
            table.c.purpose == purpose,
            table.c.expires_at > now,
        )
        return (await self._connection.execute(query)).scalar_one_or_none()

    async def consume_mail_token(
        self, token_sha256: bytes, purpose: Purpose, now: datetime
    ) -> str | None:
        row = (
            await self._connection.execute(
                delete(t.mail_tokens)
                .where(
                    t.mail_tokens.c.token_sha256 == token_sha256,
                    t.mail_tokens.c.purpose == purpose,
                )
                .returning(t.mail_tokens.c.account_id, t.mail_tokens.c.expires_at)
            )
        ).first()
        return row.account_id if row is not None and row.expires_at > now else None

    async def add_pending_consent(
        self,
        nonce_sha256: bytes,
        session: WebSession,
        consent: PendingConsent,
        expires_at: datetime,
    ) -> None:
        await self._connection.execute(
            insert(t.pending_consents).values(
                nonce_sha256=nonce_sha256,
                session_id=session.session_id,
                account_id=consent.account_id,
                parameters=[list(pair) for pair in consent.parameters],
                scopes=list(consent.scopes),
                expires_at=expires_at,
            )
        )

    async def redeem_pending_consent(
        self, nonce_sha256: bytes, session: WebSession, now: datetime
    ) -> PendingConsent | None:
        row = (
            await self._connection.execute(
                delete(t.pending_consents)
                .where(
                    t.pending_consents.c.nonce_sha256 == nonce_sha256,
                    t.pending_consents.c.session_id == session.session_id,
                )
                .returning(t.pending_consents)
            )
        ).first()
        # A page of a replica of before the scopes were stored counts as expired.
        if row is None or row.expires_at <= now or not row.scopes:
            return None
        return PendingConsent(
            [(name, value) for name, value in row.parameters], tuple(row.scopes), row.account_id
        )

    async def consent_is_remembered(self, account_id: str, fingerprint: str) -> bool:
        table = t.remembered_consents
        query = select(table.c.account_id).where(
            table.c.account_id == account_id, table.c.fingerprint == fingerprint
        )
        return (await self._connection.execute(query)).first() is not None

    async def remember_consent(self, account_id: str, fingerprint: str, now: datetime) -> None:
        await self._connection.execute(
            pg_insert(t.remembered_consents)
            .values(account_id=account_id, fingerprint=fingerprint, given_at=now)
            .on_conflict_do_nothing()
        )

    async def apps(self, account_id: str, member_id: str | None = None) -> Sequence[ConnectedApp]:
        rows = await self._connection.execute(
            select(grants, clients.c.metadata.label("client"), accounts.c.email.label("member"))
            .outerjoin(clients, clients.c.client_id == grants.c.client_id)
            .outerjoin(accounts, accounts.c.id == grants.c.member_id)
            .where(grants.c.revoked_at.is_(None), *_owned(grants, account_id, member_id))
            .order_by(grants.c.created_at)
        )
        by_client: dict[str, list[Any]] = {}
        for row in rows:
            by_client.setdefault(row.client_id, []).append(row)
        return [_app_of(client_id, client_rows) for client_id, client_rows in by_client.items()]

    async def app_names(self, ids: Collection[str]) -> Mapping[str, str]:
        named = clients.c.metadata["client_name"].astext
        of_clients = select(
            clients.c.client_id.label("id"), clients.c.client_id, named.label("name")
        )
        of_grants = select(grants.c.grant_id, grants.c.client_id, named).outerjoin(
            clients, clients.c.client_id == grants.c.client_id
        )
        known = union_all(
            of_clients.where(clients.c.client_id.in_(ids)),
            of_grants.where(grants.c.grant_id.in_(ids)),
        )
        rows = await self._connection.execute(known)
        return {row.id: row.name or row.client_id for row in rows}

    async def is_connected(self, account_id: str, client_id: str, now: datetime) -> bool:
        living = select(grants.c.grant_id).where(
            grants.c.account_id == account_id,
            grants.c.client_id == client_id,
            grants.c.revoked_at.is_(None),
            grants.c.expires_at > now,
        )
        return (await self._connection.execute(living.limit(1))).first() is not None

    async def revoke_app(
        self, account_id: str, client_id: str, now: datetime, member_id: str | None = None
    ) -> Sequence[str]:
        return await self._revoke_apps(account_id, now, client_id, member_id)

    async def revoke_all_apps(
        self, account_id: str, now: datetime, member_id: str | None = None
    ) -> Sequence[str]:
        return await self._revoke_apps(account_id, now, None, member_id)

    async def _revoke_apps(
        self, account_id: str, now: datetime, client_id: str | None, member_id: str | None
    ) -> Sequence[str]:
        """Revoke the grants of one client, or of all when `client_id` is None.

        Codes and devices are deleted before the grants are revoked: a concurrent redemption holds
        the row's lock, so that the deletion waits for it and the new grant is revoked too.
        """

        def conditions(table: Table) -> list[Any]:
            owned = _owned(table, account_id, member_id)
            return owned if client_id is None else [*owned, table.c.client_id == client_id]

        for statement in (
            delete(t.remembered_consents).where(remembered_consents_of(account_id, member_id)),
            delete(codes).where(codes.c.used_at.is_(None), *conditions(codes)),
            delete(devices).where(devices.c.finished_at.is_(None), *conditions(devices)),
        ):
            await self._connection.execute(statement)
        rows = await self._connection.execute(
            update(grants)
            .where(grants.c.revoked_at.is_(None), *conditions(grants))
            .values(revoked_at=now, revoked_because="revoked_by_owner")
            .returning(grants.c.grant_id)
        )
        return [row.grant_id for row in rows]

    async def revoke_keys(self, account_id: str, now: datetime) -> Sequence[str]:
        rows = await self._connection.execute(
            update(api_keys)
            .where(api_keys.c.account_id == account_id, api_keys.c.revoked_at.is_(None))
            .values(revoked_at=now)
            .returning(api_keys.c.id)
        )
        return [row.id for row in rows]

    async def waiting_device(self, user_code: str, now: datetime) -> WaitingDevice | None:
        query = select(devices).where(
            devices.c.user_code == user_code,
            devices.c.expires_at > now,
            devices.c.approved.is_(None),
        )
        row = (await self._connection.execute(query)).first()
        if row is None:
            return None
        return WaitingDevice(row.client_id, row.user_code, tuple(row.scopes), row.resource)

    async def decide_device(
        self,
        user_code: str,
        account_id: str,
        now: datetime,
        *,
        approved: bool,
        scopes: Sequence[str],
        member_id: str | None = None,
    ) -> bool:
        row = (
            await self._connection.execute(
                update(devices)
                .where(
                    devices.c.user_code == user_code,
                    devices.c.expires_at > now,
                    devices.c.approved.is_(None),
                )
                .values(
                    account_id=account_id,
                    member_id=member_id,
                    approved=approved,
                    scopes=list(scopes),
                )
                .returning(devices.c.user_code)
            )
        ).first()
        return row is not None

    async def client_reports(self, limit: int) -> Sequence[ClientReport]:
        living = (
            select(grants.c.client_id, func.count().label("grants"))
            .where(grants.c.revoked_at.is_(None))
            .group_by(grants.c.client_id)
            .subquery()
        )
        query = (
            select(clients, func.coalesce(living.c.grants, 0).label("grants"))
            .outerjoin(living, living.c.client_id == clients.c.client_id)
            .order_by(clients.c.last_used_at.desc().nulls_last(), clients.c.created_at.desc())
            .limit(limit)
        )
        return [
            ClientReport(
                row.client_id,
                row.metadata["client_name"],
                row.source,
                row.grants,
                row.created_at,
                row.last_used_at,
            )
            for row in await self._connection.execute(query)
        ]


def _owned(table: Table, account_id: str, member_id: str | None) -> list[Any]:
    """Return the conditions for what is an account's, or what one member approved for it."""
    owned = [table.c.account_id == account_id]
    return owned if member_id is None else [*owned, table.c.member_id == member_id]


def _session_of(row: Any) -> WebSession:
    return WebSession(**{name: getattr(row, name) for name in WebSession.__dataclass_fields__})


def _app_of(client_id: str, rows: Sequence[Any]) -> ConnectedApp:
    metadata: Mapping[str, Any] = rows[0].client or {}
    return ConnectedApp(
        client_id=client_id,
        name=metadata.get("client_name") or client_id,
        redirect_uris=tuple(metadata.get("redirect_uris", ())),
        scopes=tuple(sorted({scope for row in rows for scope in row.scopes})),
        connected_at=rows[0].created_at,
        last_used_at=max(row.last_used_at or row.created_at for row in rows),
        members=tuple(sorted({row.member for row in rows if row.member})),
    )
