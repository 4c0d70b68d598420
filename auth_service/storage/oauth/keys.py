"""Signing keys in Postgres, encrypted with the server's secret and rotated on command.

A new key is published before it signs, so that no gateway receives a token whose key it cannot know
yet; an old one stays published until its tokens have expired.
"""

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final

from cryptography.fernet import InvalidToken
from joserfc.jwk import RSAKey
from sqlalchemy import Connection, Engine, Row, insert, select, text, update

from auth_service.domain.encryption import fernet
from auth_service.domain.oauth.signing import RotatedKey, SigningKeys, generate_key
from auth_service.domain.ports import AuditEvent, Clock
from auth_service.storage.oauth.tables import signing_keys
from auth_service.storage.tables import audit_log
from servicekit.observability import logs

_PUBLISHED_BEFORE: Final = timedelta(minutes=6)
"""The age at which a key may sign: each replica publishes it within half a minute, and whoever has fetched the keys
just before may use them for five minutes."""

log = logs.get(__name__)


class EncryptedKeys:
    """The table of signing keys, encrypted with `secret`. A key is decrypted once: to read an RSA key takes a millisecond.

    Keys that were encrypted with another secret stay in the table and are left alone: they sign again when that secret is
    back, and replicas that still have it go on with them.
    """

    def __init__(self, secret: str) -> None:
        self._fernet = fernet("signing-keys", secret)
        self._decrypted: Mapping[bytes, RSAKey] = {}
        self._reported: frozenset[str] = frozenset()

    def load(self, connection: Connection, now: datetime) -> SigningKeys:
        """Return the keys as of `now`, creating the first active and the first upcoming one of this secret."""
        self._lock(connection)
        rows = self._published(connection, now)
        if not rows:
            self._add_key(connection, now, active_from=now)
            self._add_key(connection, now, active_from=None)
            rows = self._published(connection, now)
        begun = [row for row in rows if row.active_from is not None]
        # The first one may have been made by a replica whose clock is ahead.
        active = [row for row in begun if row.active_from <= now] or begun[:1]
        return SigningKeys(
            active=self._decrypted[active[-1].sealed_jwk],
            published=tuple(self._decrypted[row.sealed_jwk] for row in rows),
        )

    def rotate(
        self, connection: Connection, now: datetime, token_lifetime: timedelta
    ) -> RotatedKey:
        """Let the upcoming key sign as soon as everyone can have it, which is now unless it was published a few minutes ago.

        The old key is retired two token lifetimes later, and a new upcoming one is published.
        """
        self._lock(connection)
        rows = self._published(connection, now)
        next_key = next((row for row in rows if row.active_from is None), None)
        if next_key is None:
            raise LookupError("There is no next key yet; start the service once.")
        active_from = max(now, next_key.created_at + _PUBLISHED_BEFORE)
        replaced = [row.id for row in rows if row.active_from and row.retired_at is None]
        connection.execute(
            update(signing_keys)
            .where(signing_keys.c.id.in_(replaced))
            .values(retired_at=active_from + 2 * token_lifetime)
        )
        connection.execute(
            update(signing_keys)
            .where(signing_keys.c.id == next_key.id)
            .values(active_from=active_from)
        )
        self._add_key(connection, now, active_from=None)
        return RotatedKey(next_key.kid, active_from)

    def _published(self, connection: Connection, now: datetime) -> Sequence[Row[Any]]:
        """Return the rows of the keys that are not retired and of this secret, oldest first."""
        rows = connection.execute(
            select(signing_keys)
            .where((signing_keys.c.retired_at.is_(None)) | (signing_keys.c.retired_at > now))
            .order_by(signing_keys.c.id)
        ).all()
        found = {row.sealed_jwk: self._decrypt(row.sealed_jwk) for row in rows}
        self._decrypted = {encrypted: key for encrypted, key in found.items() if key is not None}
        self._report({row.kid for row in rows if row.sealed_jwk not in self._decrypted})
        return [row for row in rows if row.sealed_jwk in self._decrypted]

    def _report(self, set_aside: AbstractSet[str]) -> None:
        """Log keys of another secret, once each."""
        if set_aside - self._reported:
            log.warning(
                "signing_keys_set_aside",
                kids=sorted(set_aside),
                reason="They were encrypted with another AUTH_TOKEN_SECRET: tokens that they signed are refused, and "
                "applications connect again. With that secret they are used again.",
            )
        self._reported = frozenset(set_aside)

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

    def _decrypt(self, encrypted: bytes) -> RSAKey | None:
        """Return the key, None if it was encrypted with another secret."""
        known = self._decrypted.get(encrypted)
        if known is not None:
            return known
        try:
            return RSAKey.import_key(json.loads(self._fernet.decrypt(encrypted)))
        except InvalidToken:
            return None

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

    def rotate(self, token_lifetime: timedelta, actor: str, reason: str) -> RotatedKey:
        """Let the upcoming key sign, as an operator wants; return it, with the time from which it does."""
        with self._engine.begin() as connection:
            now = self._clock()
            rotated = self._encrypted_keys.rotate(connection, now, token_lifetime)
            event = AuditEvent(now, "signing_key_rotated", None, actor, rotated.kid, reason)
            connection.execute(insert(audit_log).values(asdict(event)))
        self.refresh()
        return rotated
