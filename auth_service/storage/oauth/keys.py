"""Signing keys in Postgres, encrypted with the server's secret and rotated on command.

A new key is published before it signs, so that no gateway receives a token whose key it cannot know
yet; an old one stays published until its tokens have expired.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from joserfc.jwk import RSAKey
from sqlalchemy import Connection, Engine, insert, select, text, update

from auth_service.domain.encryption import fernet
from auth_service.domain.oauth.signing import SigningKeys, generate_key
from auth_service.domain.ports import AuditEvent, Clock
from auth_service.storage.oauth.tables import signing_keys
from auth_service.storage.tables import audit_log


class EncryptedKeys:
    """The table of signing keys, encrypted with `secret`. A key is decrypted once: to read an RSA key takes a millisecond."""

    def __init__(self, secret: str) -> None:
        self._fernet = fernet("signing-keys", secret)
        self._decrypted: Mapping[bytes, RSAKey] = {}

    def load(self, connection: Connection, now: datetime) -> SigningKeys:
        """Return the keys as of `now`, creating the first active and the first upcoming one."""
        self._lock(connection)
        if not connection.execute(select(signing_keys.c.id).limit(1)).first():
            self._add_key(connection, now, active_from=now)
            self._add_key(connection, now, active_from=None)
        rows = connection.execute(
            select(signing_keys)
            .where((signing_keys.c.retired_at.is_(None)) | (signing_keys.c.retired_at > now))
            .order_by(signing_keys.c.id)
        ).all()
        active = [row for row in rows if row.active_from is not None and row.active_from <= now]
        self._decrypted = {row.sealed_jwk: self._decrypt(row.sealed_jwk) for row in rows}
        return SigningKeys(
            active=self._decrypted[active[-1].sealed_jwk],
            published=tuple(self._decrypted[row.sealed_jwk] for row in rows),
        )

    def rotate(self, connection: Connection, now: datetime, token_lifetime: timedelta) -> str:
        """Let the published upcoming key sign from now on; return its id.

        The old key is retired after two token lifetimes, and a new upcoming one is published.
        """
        self._lock(connection)
        next_key = connection.execute(
            select(signing_keys)
            .where(signing_keys.c.active_from.is_(None))
            .order_by(signing_keys.c.id)
        ).first()
        if next_key is None:
            raise LookupError("There is no next key yet; start the service once.")
        connection.execute(
            update(signing_keys)
            .where(signing_keys.c.active_from.is_not(None), signing_keys.c.retired_at.is_(None))
            .values(retired_at=now + 2 * token_lifetime)
        )
        connection.execute(
            update(signing_keys).where(signing_keys.c.id == next_key.id).values(active_from=now)
        )
        self._add_key(connection, now, active_from=None)
        return str(next_key.kid)

    def _add_key(self, connection: Connection, now: datetime, active_from: datetime | None) -> None:
        key = generate_key()
        document: dict[str, Any] = dict(key.as_dict(private=True))
        connection.execute(
            insert(signing_keys).values(
                kid=key.kid,
                sealed_jwk=self._fernet.encrypt(json.dumps(document).encode()),
                created_at=now,
                active_from=active_from,
            )
        )

    def _decrypt(self, encrypted: bytes) -> RSAKey:
        known = self._decrypted.get(encrypted)
        if known is not None:
            return known
        return RSAKey.import_key(json.loads(self._fernet.decrypt(encrypted)))

    @staticmethod
    def _lock(connection: Connection) -> None:
        """Serialise replicas, so that only one of those that start at once creates the first key."""
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('oauth_signing_keys'))"))


class KeyRing:
    """This process's copy of the signing keys; `refresh` loads rotations by other replicas."""

    def __init__(self, engine: Engine, encrypted_keys: EncryptedKeys, clock: Clock) -> None:
        self._engine = engine
        self._encrypted_keys = encrypted_keys
        self._clock = clock
        self._keys: SigningKeys | None = None

    @property
    def keys(self) -> SigningKeys:
        """The keys as of the last refresh."""
        return self._keys or self.refresh()

    def refresh(self) -> SigningKeys:
        """Reload the keys from the database."""
        with self._engine.begin() as connection:
            self._keys = self._encrypted_keys.load(connection, self._clock())
        return self._keys

    def rotate(self, token_lifetime: timedelta, actor: str, reason: str) -> str:
        """Let the upcoming key sign from now on, as an operator wants; return its id."""
        with self._engine.begin() as connection:
            now = self._clock()
            kid = self._encrypted_keys.rotate(connection, now, token_lifetime)
            event = AuditEvent(now, "signing_key_rotated", None, actor, kid, reason)
            connection.execute(insert(audit_log).values(asdict(event)))
        self.refresh()
        return kid
