"""The use cases of a person's own account. Everything is looked up by the visitor's account id."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Final

from auth_service.domain import usage as ledger
from auth_service.domain.addresses import normalised_email
from auth_service.domain.api_keys import ApiKey, KeyNotFound
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.operations import NewKey, Operations
from auth_service.domain.passwords import Passwords
from auth_service.domain.plans import Plan
from auth_service.domain.ports import AuditEvent, Clock, RevocationPublisher, Throttle
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import mails
from auth_service.domain.site.access_revocation import RevokedAccess, end_access
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.mails import Mailer
from auth_service.domain.site.ports import ConnectedApp, SiteTransactions
from auth_service.domain.site.sessions import WebSession
from auth_service.domain.usage import Usage
from servicekit.errors import InvalidInput, PermissionDenied

FRESH: Final = timedelta(minutes=15)
"""The time after login in which an account without a password may do what otherwise needs one."""

_EVENTS: Final = 100
_GUESSES: Final = RateLimit("reauthenticate", 10, 900)


class ReauthenticationFailed(PermissionDenied):
    default_reason = "REAUTHENTICATION_FAILED"


@dataclass(frozen=True, slots=True)
class PasswordChange:
    """A change of password, and what ends with it."""

    current: str
    new: str
    end_sessions: bool
    revoke_apps: bool
    revoke_keys: bool


@dataclass(frozen=True, slots=True)
class AccountService:
    """The use cases."""

    transactions: SiteTransactions
    passwords: Passwords
    mailer: Mailer
    feed: RevocationPublisher
    operations: Operations
    clock: Clock
    throttle: Throttle
    deleted_accounts: DeletedAccounts

    def plan(self, visitor: Visitor) -> Plan:
        """The visitor's plan."""
        return self.operations.plans[visitor.account.plan_id]

    async def usage(self, visitor: Visitor, month: str) -> Usage:
        """Return the ledger's figures of one month."""
        first, following = ledger.month_bounds(month)
        async with self.transactions() as store:
            return await store.ledger.usage(visitor.account.account_id, first, following)

    async def keys(self, visitor: Visitor) -> Sequence[ApiKey]:
        """The visitor's keys, newest first."""
        return await self.operations.keys(visitor.account.email)

    async def create_key(
        self, visitor: Visitor, password: str, wanted: NewKey
    ) -> tuple[str, ApiKey]:
        """A new key and its secret, shown this once.

        Raises:
            ReauthenticationFailed: The password is not the account's.
            ResourceExhausted: Too many passwords were tried in this session.
            PlanLacksKeys, TooManyKeys, InvalidInput: See `Operations.create_key`.
        """
        await self._reauthenticate(visitor, password)
        secret, key = await self.operations.create_key(visitor.account.email, wanted, "owner")
        self.mailer.post(mails.notice(visitor.account.email, f"An API key was made: {key.name}"))
        return secret, key

    async def revoke_key(self, visitor: Visitor, key_id: str) -> None:
        """Ends one of the visitor's keys.

        Raises:
            KeyNotFound: The visitor has no such key.
        """
        if key_id not in {key.key_id for key in await self.keys(visitor)}:
            raise KeyNotFound("You have no such key.", details={"field": "key_id"})
        await self.operations.revoke_key(key_id, "owner")

    async def apps(self, visitor: Visitor) -> Sequence[ConnectedApp]:
        """The applications that act for the visitor."""
        async with self.transactions() as store:
            return await store.apps(visitor.account.account_id)

    async def revoke_app(self, visitor: Visitor, client_id: str) -> None:
        """Ends every connection of a client to the visitor's account."""
        account_id = visitor.account.account_id
        async with self.transactions() as store:
            grant_ids = await store.revoke_app(account_id, client_id, self.clock())
            await store.record_event(
                AuditEvent(self.clock(), "app_revoked", account_id, "owner", client_id)
            )
        await RevokedAccess(account_id, grant_ids).announce(self.feed)

    async def revoke_all_apps(self, visitor: Visitor) -> None:
        """Ends every connection to the visitor's account, and all remembered consents."""
        async with self.transactions() as store:
            ended = await end_access(store, visitor.account.account_id, self.clock())
            await self._audit(visitor, store, "all_apps_revoked")
        await ended.announce(self.feed)

    async def sessions(self, visitor: Visitor) -> Sequence[WebSession]:
        """The visitor's living sessions."""
        now = self.clock()
        async with self.transactions() as store:
            found = await store.sessions(visitor.account.account_id)
        return [session for session in found if session.lives(now)]

    async def end_session(self, visitor: Visitor, session_id: str) -> None:
        """Ends one of the visitor's sessions."""
        async with self.transactions() as store:
            await store.end_session(visitor.account.account_id, session_id)
            await self._audit(visitor, store, "session_ended")

    async def end_other_sessions(self, visitor: Visitor) -> None:
        """Ends all of the visitor's sessions but this one."""
        async with self.transactions() as store:
            await store.end_other_sessions(visitor.account.account_id, visitor.session.session_id)
            await self._audit(visitor, store, "other_sessions_ended")

    async def security_log(self, visitor: Visitor) -> Sequence[AuditEvent]:
        """The newest events of the visitor's account."""
        async with self.transactions() as store:
            return await store.audit_log(visitor.account.account_id, _EVENTS)

    async def change_password(self, visitor: Visitor, change: PasswordChange) -> None:
        """Sets a new password.

        Raises:
            ReauthenticationFailed: The current password is another.
            InvalidInput: The new one is not possible.
        """
        await self._reauthenticate(visitor, change.current)
        account = visitor.account
        hashed = await self.passwords.hash(change.new, account.email)
        async with self.transactions() as store:
            await store.change_password(account.account_id, hashed)
            if change.end_sessions:
                await store.end_other_sessions(account.account_id, visitor.session.session_id)
            ended = await end_access(
                store,
                account.account_id,
                self.clock(),
                apps=change.revoke_apps,
                keys=change.revoke_keys,
            )
            await self._audit(visitor, store, "password_changed")
        await ended.announce(self.feed)
        self.mailer.post(mails.notice(account.email, "Your password was changed"))

    async def delete(self, visitor: Visitor, password: str, repeated_email: str) -> None:
        """Deletes the account with all that belongs to it; the audit log keeps that it happened.

        Raises:
            ReauthenticationFailed: The password is another.
            InvalidInput: The address typed to confirm is another.
        """
        account = visitor.account
        if normalised_email(repeated_email) != account.email:
            raise InvalidInput(
                f"Type {account.email} to delete the account.", details={"field": "confirm_email"}
            )
        await self._reauthenticate(visitor, password)
        async with self.transactions() as store:
            ended = await end_access(store, account.account_id, self.clock(), keys=True)
            await self._audit(visitor, store, "account_deleted")
            await self.deleted_accounts.remember(store, account, self.clock())
            await store.delete_account(account.account_id)
        await ended.announce(self.feed)
        await self.feed.announce(account.account_id, "account_deleted")
        self.mailer.post(mails.notice(account.email, "Your account was deleted"))

    async def export(self, visitor: Visitor) -> Mapping[str, Any]:
        """All that is kept of the visitor, without secrets; for JSON."""
        account = visitor.account
        now = self.clock()
        async with self.transactions() as store:
            first, following = ledger.month_bounds("2000-01")[0], now.date() + timedelta(days=1)
            usage = await store.ledger.usage(account.account_id, first, following)
            return {
                "account": {
                    "id": account.account_id,
                    "email": account.email,
                    "plan": account.plan_id,
                    "created_at": account.created_at,
                    "email_confirmed_at": account.email_confirmed_at,
                },
                "usage": [asdict(day) for day in usage.by_day],
                "api_keys": [asdict(key) for key in await store.keys(account.account_id)],
                "apps": [asdict(app) for app in await store.apps(account.account_id)],
                "sessions": [asdict(s) for s in await store.sessions(account.account_id)],
                "security_log": [
                    asdict(event) for event in await store.audit_log(account.account_id, 10_000)
                ],
            }

    async def _reauthenticate(self, visitor: Visitor, password: str) -> None:
        stored = visitor.account.password_hash
        if stored is None:
            if self.clock() - visitor.session.created_at <= FRESH:
                return
            raise ReauthenticationFailed("Log out and in again, then repeat this.")
        await _GUESSES.check(self.throttle, visitor.session.session_id)
        if not await self.passwords.matches(password, stored):
            async with self.transactions() as store:
                await self._audit(visitor, store, "reauthentication_failed")
            raise ReauthenticationFailed(
                "This is not your password.", details={"field": "password"}
            )
        await _GUESSES.forget(self.throttle, visitor.session.session_id)

    async def _audit(self, visitor: Visitor, store: Any, event: str) -> None:
        account_id = visitor.account.account_id
        await store.record_event(AuditEvent(self.clock(), event, account_id, "owner", ""))
