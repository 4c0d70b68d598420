"""A transaction of the authorization server on Postgres."""

import hashlib
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Engine, and_, delete, insert, select, update
from sqlalchemy.dialects.postgresql import insert as pg_insert

from auth_service.domain.oauth.machines import Machine
from auth_service.domain.oauth.model import (
    Authorization,
    AuthorizationCode,
    Client,
    DeviceAuthorization,
    Grant,
    PushedRequest,
    StoredRefreshToken,
)
from auth_service.domain.oauth.registration import ClientMetadata
from auth_service.domain.ports import AuditEvent
from auth_service.storage.oauth import tables as t
from auth_service.storage.site.organisation_tables import memberships
from auth_service.storage.tables import accounts, audit_log

_MAX_DISCARDED: Final = 100
_LONGEST_MACHINE_TOKEN: Final = timedelta(days=1)
"""Longer than any access token lives (`Policy.access_lifetime`); a machine gets no refresh tokens."""

_IS_MACHINE: Final = and_(t.clients.c.source == "operator", t.clients.c.account_id.is_not(None))

Announce = Callable[[str, str], None]
"""Announces a revoked grant to the gateways: account id, grant id. Called after the commit."""


class PostgresOAuthStore:
    """Implement `OAuthStore` on one connection; `revoked` collects (account id, grant id)."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.revoked: list[tuple[str, str]] = []

    def client(self, client_id: str) -> Client | None:
        return self._client(t.clients.c.client_id == client_id)

    def registered_client(self, fingerprint: str) -> Client | None:
        return self._client(
            and_(
                t.clients.c.fingerprint == fingerprint,
                t.clients.c.source == "registration",
                t.clients.c.secret_sha256.is_(None),
            )
        )

    def _client(self, condition: Any) -> Client | None:
        row = self._connection.execute(select(t.clients).where(condition)).mappings().first()
        return None if row is None else _client_of(row)

    def add_client(self, client: Client, fingerprint: str, now: datetime) -> None:
        self._connection.execute(
            pg_insert(t.clients)
            .values(
                client_id=client.client_id,
                source=client.source,
                metadata=asdict(client.metadata),
                fingerprint=fingerprint,
                secret_sha256=client.secret_sha256,
                jwks=client.jwks,
                account_id=client.account_id,
                created_at=now,
            )
            .on_conflict_do_nothing()
        )

    def machines(self, account_id: str) -> Sequence[Machine]:
        owned = and_(_IS_MACHINE, t.clients.c.account_id == account_id)
        query = select(t.clients).where(owned).order_by(t.clients.c.created_at)
        return [_machine_of(row) for row in self._connection.execute(query).mappings()]

    def is_machine(self, client_id: str) -> bool:
        query = select(t.clients.c.client_id).where(_IS_MACHINE, t.clients.c.client_id == client_id)
        locked = query.with_for_update(read=True, key_share=True)
        return self._connection.execute(locked).first() is not None

    def remove_machine(self, client_id: str, now: datetime) -> Machine | None:
        # First, so that whoever is about to grant it a token is waited for.
        removed = self._connection.execute(
            delete(t.clients)
            .where(_IS_MACHINE, t.clients.c.client_id == client_id)
            .returning(t.clients)
        )
        row = removed.mappings().first()
        if row is None:
            return None
        # Each token has a grant of its own, so that there may be thousands.
        revoked = self._connection.execute(
            update(t.grants)
            .where(
                t.grants.c.client_id == client_id,
                t.grants.c.revoked_at.is_(None),
                t.grants.c.expires_at > now,
            )
            .values(revoked_at=now, revoked_because="machine_removed")
            .returning(t.grants.c.grant_id, t.grants.c.account_id, t.grants.c.created_at)
        )
        self.revoked += [
            (grant.account_id, grant.grant_id)
            for grant in revoked
            if grant.created_at > now - _LONGEST_MACHINE_TOKEN
        ]
        return _machine_of(row)

    def save_code(self, code_sha256: bytes, code: AuthorizationCode) -> None:
        self._connection.execute(
            insert(t.codes).values(
                code_sha256=code_sha256,
                redirect_uri=code.redirect_uri,
                challenge=code.challenge,
                expires_at=code.expires_at,
                thumbprint=code.thumbprint,
                **_authorization_values(code.authorization),
            )
        )

    def claim_code(self, code_sha256: bytes, now: datetime) -> AuthorizationCode | None:
        table = t.codes
        claimed = self._connection.execute(
            update(table)
            .where(table.c.code_sha256 == code_sha256, table.c.used_at.is_(None))
            .values(used_at=now)
            .returning(table.c.code_sha256)
        ).first()
        row = (
            self._connection.execute(select(table).where(table.c.code_sha256 == code_sha256))
            .mappings()
            .first()
        )
        if row is None:
            return None
        return AuthorizationCode(
            authorization=_authorization_of(row),
            redirect_uri=row["redirect_uri"],
            challenge=row["challenge"],
            expires_at=row["expires_at"],
            thumbprint=row["thumbprint"],
            used_at=None if claimed is not None else row["used_at"],
            grant_id=row["grant_id"],
        )

    def link_code(self, code_sha256: bytes, grant_id: str) -> None:
        self._connection.execute(
            update(t.codes).where(t.codes.c.code_sha256 == code_sha256).values(grant_id=grant_id)
        )

    def add_grant(self, grant: Grant) -> None:
        self._connection.execute(
            insert(t.grants).values(
                grant_id=grant.grant_id,
                created_at=grant.created_at,
                expires_at=grant.expires_at,
                generation=grant.generation,
                last_used_at=grant.created_at,
                **_authorization_values(grant.authorization),
            )
        )
        self._touch_client(grant.authorization.client_id, grant.created_at)

    def grant(self, grant_id: str) -> Grant | None:
        query = select(t.grants).where(t.grants.c.grant_id == grant_id)
        row = self._connection.execute(query).mappings().first()
        return None if row is None else _grant_of(row)

    def revoke_grant(self, grant_id: str, reason: str, now: datetime) -> bool:
        row = self._connection.execute(
            update(t.grants)
            .where(t.grants.c.grant_id == grant_id, t.grants.c.revoked_at.is_(None))
            .values(revoked_at=now, revoked_because=reason)
            .returning(t.grants.c.account_id)
        ).first()
        if row is None:
            return False
        self.revoked.append((row.account_id, grant_id))
        self.record_event("grant_revoked", row.account_id, f"{grant_id}: {reason}", now)
        return True

    def add_refresh_token(self, token_sha256: bytes, token: StoredRefreshToken) -> None:
        self._connection.execute(
            insert(t.refresh_tokens).values(
                token_sha256=token_sha256,
                grant_id=token.grant.grant_id,
                generation=token.generation,
                expires_at=token.expires_at,
                thumbprint=token.thumbprint,
            )
        )

    def lock_refresh_token(self, token_sha256: bytes) -> StoredRefreshToken | None:
        table = t.refresh_tokens
        found = self._connection.execute(
            select(table.c.grant_id).where(table.c.token_sha256 == token_sha256)
        ).first()
        if found is None:
            return None
        grant = (
            self._connection.execute(
                select(t.grants).where(t.grants.c.grant_id == found.grant_id).with_for_update()
            )
            .mappings()
            .one()
        )
        # Read after the grant is locked, so that a concurrent rotation is finished and visible.
        token = self._connection.execute(
            select(table).where(table.c.token_sha256 == token_sha256)
        ).one()
        return StoredRefreshToken(
            _grant_of(grant), token.generation, token.expires_at, token.used_at, token.thumbprint
        )

    def rotate(self, grant_id: str, generation: int, now: datetime) -> None:
        table = t.refresh_tokens
        self._connection.execute(
            update(table)
            .where(table.c.grant_id == grant_id, table.c.generation == generation)
            .values(used_at=now)
        )
        self._connection.execute(
            update(t.grants)
            .where(t.grants.c.grant_id == grant_id)
            .values(generation=generation + 1, last_used_at=now)
        )

    def forget_required_consent(self, grant_id: str) -> None:
        self._connection.execute(
            update(t.grants).where(t.grants.c.grant_id == grant_id).values(consent_required_at=None)
        )

    def account_is_active(self, account_id: str, member_id: str | None = None) -> bool:
        needed = {account_id, member_id or account_id}
        rows = self._connection.execute(
            select(accounts.c.disabled_at).where(accounts.c.id.in_(needed))
        ).all()
        return len(rows) == len(needed) and all(row.disabled_at is None for row in rows)

    def keeps_membership(self, organisation_id: str, member_id: str) -> bool:
        query = select(memberships.c.role).where(
            memberships.c.organisation_id == organisation_id,
            memberships.c.account_id == member_id,
        )
        locked = query.with_for_update(read=True, key_share=True)
        return self._connection.execute(locked).first() is not None

    def add_device(self, device_sha256: bytes, device: DeviceAuthorization) -> None:
        self._connection.execute(
            insert(t.devices).values(
                device_sha256=device_sha256,
                user_code=device.user_code,
                client_id=device.client_id,
                scopes=list(device.scopes),
                resource=device.resource,
                expires_at=device.expires_at,
            )
        )

    def poll_device(
        self, device_sha256: bytes, now: datetime, interval: timedelta
    ) -> tuple[DeviceAuthorization, bool] | None:
        table = t.devices
        row = (
            self._connection.execute(
                select(table).where(table.c.device_sha256 == device_sha256).with_for_update()
            )
            .mappings()
            .first()
        )
        if row is None:
            return None
        self._connection.execute(
            update(table).where(table.c.device_sha256 == device_sha256).values(last_polled_at=now)
        )
        last = row["last_polled_at"]
        return _device_of(row), last is not None and now - last < interval

    def finish_device(self, device_sha256: bytes) -> bool:
        table = t.devices
        row = self._connection.execute(
            update(table)
            .where(table.c.device_sha256 == device_sha256, table.c.finished_at.is_(None))
            .values(finished_at=table.c.last_polled_at)
            .returning(table.c.user_code)
        ).first()
        return row is not None

    def remember_assertion(self, client_id: str, jti: str, expires_at: datetime) -> bool:
        digest = hashlib.sha256(jti.encode()).digest()
        row = self._connection.execute(
            pg_insert(t.assertions)
            .values(client_id=client_id, jti_sha256=digest, expires_at=expires_at)
            .on_conflict_do_nothing()
            .returning(t.assertions.c.client_id)
        ).first()
        return row is not None

    def push_request(
        self, uri_sha256: bytes, request: PushedRequest, expires_at: datetime, now: datetime
    ) -> None:
        table = t.pushed_requests
        # So that expired rows stay few, however many requests are pushed in an hour.
        expired = (
            select(table.c.uri_sha256)
            .where(table.c.expires_at < now)
            .limit(_MAX_DISCARDED)
            .with_for_update(skip_locked=True)
        )
        self._connection.execute(delete(table).where(table.c.uri_sha256.in_(expired)))
        self._connection.execute(
            insert(table).values(
                uri_sha256=uri_sha256,
                client_id=request.client_id,
                parameters=[list(pair) for pair in request.parameters],
                is_opened=False,
                expires_at=expires_at,
            )
        )

    def open_request(
        self,
        uri_sha256: bytes,
        client_id: str,
        opened_sha256: bytes,
        now: datetime,
        expires_at: datetime,
    ) -> bool:
        table = t.pushed_requests
        row = self._connection.execute(
            update(table)
            .where(
                table.c.uri_sha256 == uri_sha256,
                table.c.client_id == client_id,
                table.c.is_opened.is_(False),
                table.c.expires_at > now,
            )
            .values(uri_sha256=opened_sha256, is_opened=True, expires_at=expires_at)
            .returning(table.c.client_id)
        ).first()
        return row is not None

    def opened_request(self, opened_sha256: bytes, now: datetime) -> PushedRequest | None:
        table = t.pushed_requests
        row = self._connection.execute(
            select(table).where(
                table.c.uri_sha256 == opened_sha256,
                table.c.is_opened.is_(True),
                table.c.expires_at > now,
            )
        ).first()
        if row is None:
            return None
        return PushedRequest(row.client_id, tuple((name, value) for name, value in row.parameters))

    def finish_request(self, opened_sha256: bytes) -> bool:
        table = t.pushed_requests
        row = self._connection.execute(
            delete(table)
            .where(table.c.uri_sha256 == opened_sha256, table.c.is_opened.is_(True))
            .returning(table.c.client_id)
        ).first()
        return row is not None

    def record_event(self, event: str, account_id: str | None, detail: str, now: datetime) -> None:
        self._connection.execute(
            insert(audit_log).values(
                event=event, account_id=account_id, actor="oauth", detail=detail, at=now
            )
        )

    def record_operators_event(self, event: AuditEvent) -> None:
        self._connection.execute(insert(audit_log).values(asdict(event)))

    def _touch_client(self, client_id: str, now: datetime) -> None:
        self._connection.execute(
            update(t.clients).where(t.clients.c.client_id == client_id).values(last_used_at=now)
        )


def transactions(
    engine: Engine, announce: Announce
) -> Callable[[], AbstractContextManager[PostgresOAuthStore]]:
    """Return an opener of stores that calls `announce` for each revoked grant after the commit."""

    @contextmanager
    def transaction() -> Generator[PostgresOAuthStore]:
        with engine.begin() as connection:
            store = PostgresOAuthStore(connection)
            yield store
        for account_id, grant_id in store.revoked:
            announce(account_id, grant_id)

    return transaction


def _client_of(row: Any) -> Client:
    fields = dict(row["metadata"])
    for name in ("redirect_uris", "grant_types"):
        fields[name] = tuple(fields[name])
    return Client(
        client_id=row["client_id"],
        source=row["source"],
        metadata=ClientMetadata(**fields),
        secret_sha256=row["secret_sha256"],
        jwks=row["jwks"],
        account_id=row["account_id"],
    )


def _machine_of(row: Any) -> Machine:
    return Machine(
        client_id=row["client_id"],
        account_id=row["account_id"],
        name=row["metadata"]["client_name"],
        created_at=row["created_at"],
        last_used_at=row["last_used_at"],
    )


def _authorization_values(authorization: Authorization) -> dict[str, Any]:
    return {**asdict(authorization), "scopes": list(authorization.scopes)}


def _authorization_of(row: Any) -> Authorization:
    return Authorization(
        client_id=row["client_id"],
        account_id=row["account_id"],
        scopes=tuple(row["scopes"]),
        resource=row["resource"],
        member_id=row["member_id"],
    )


def _grant_of(row: Any) -> Grant:
    return Grant(
        grant_id=row["grant_id"],
        authorization=_authorization_of(row),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        generation=row["generation"],
        revoked_at=row["revoked_at"],
        consent_required_at=row["consent_required_at"],
    )


def _device_of(row: Any) -> DeviceAuthorization:
    return DeviceAuthorization(
        client_id=row["client_id"],
        user_code=row["user_code"],
        scopes=tuple(row["scopes"]),
        resource=row["resource"],
        expires_at=row["expires_at"],
        last_polled_at=row["last_polled_at"],
        account_id=row["account_id"],
        approved=row["approved"],
        member_id=row["member_id"],
    )
