"""What a person does with their own account. Everything is looked up by the visitor's account id."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any, Final

from auth_service.domain import usage as ledger
from auth_service.domain.account_deletion import AccountDeletion
from auth_service.domain.account_limits import AccountLimits, limits_of, plan_of
from auth_service.domain.addresses import normalised_email
from auth_service.domain.api_keys import ApiKey, KeyNotFound
from auth_service.domain.operations import NewKey, Operations
from auth_service.domain.organisations.access import check_owner, may_revoke
from auth_service.domain.organisations.membership_end import check_owns_none_alone
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
from auth_service.domain.site.usage_report import UsageReport
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
    """Keys, applications, sessions, password, export and deletion of the visitor's account."""

    transactions: SiteTransactions
    passwords: Passwords
    mailer: Mailer
    feed: RevocationPublisher
    operations: Operations
    clock: Clock
    throttle: Throttle
    deletion: AccountDeletion

    def plan(self, visitor: Visitor) -> Plan:
        """The plan of the account that the visitor acts for."""
        return plan_of(visitor.subject, self.operations.plans, self.clock())

    def limits(self, visitor: Visitor) -> AccountLimits | None:
        """Return the limits of that account's own, while they hold."""
        return limits_of(visitor.subject, self.clock())

    async def usage(self, visitor: Visitor, month: str) -> Usage:
        """Return the ledger's figures of one month."""
        first, following = ledger.month_bounds(month)
        async with self.transactions() as store:
            return await store.ledger.usage(visitor.subject.account_id, first, following)

    async def usage_report(self, visitor: Visitor, month: str) -> UsageReport:
        """Return one month's usage by day, tool and credential."""
        first, following = ledger.month_bounds(month)
        async with self.transactions() as store:
            rows = tuple(await store.calls.days(visitor.subject.account_id, first, following))
            names = await store.calls.credentials({row.credential_id for row in rows})
        return UsageReport(month, rows, names)

    async def keys(self, visitor: Visitor) -> Sequence[ApiKey]:
        """Return the visitor's keys, newest first."""
        return await self.operations.keys(visitor.subject.email)

    async def create_key(
        self, visitor: Visitor, password: str, wanted: NewKey
    ) -> tuple[str, ApiKey]:
        """Return a new key and its secret, shown this once.

        Raises:
            ReauthenticationFailed: The password is not the account's.
            ResourceExhausted: Too many passwords were tried in this session.
            PlanLacksKeys, TooManyKeys, InvalidInput: See `Operations.create_key`.
        """
        await self.reauthenticate(visitor, password)
        new_key = replace(wanted, created_by=visitor.member_id)
        secret, key = await self.operations.create_key(
            visitor.subject.email, new_key, visitor.actor
        )
        made = mails.notice(visitor.account.email, f"An API key was made: {key.name}")
        async with self.transactions() as store:
            await self.mailer.post(store, made)
        return secret, key

    async def revoke_key(self, visitor: Visitor, key_id: str) -> None:
        """End one of the visitor's keys, or of an organisation one that they may end.

        Raises:
            KeyNotFound: The visitor has no such key.
        """
        if key_id not in {
            key.key_id for key in await self.keys(visitor) if may_revoke(visitor, key)
        }:
            raise KeyNotFound("You have no such key.", details={"field": "key_id"})
        await self.operations.revoke_key(key_id, visitor.actor)

    async def apps(self, visitor: Visitor) -> Sequence[ConnectedApp]:
        """Return the applications that act for the visitor's account, or of a member their own."""
        async with self.transactions() as store:
            return await store.apps(visitor.subject.account_id, _only_by(visitor))

    async def revoke_app(self, visitor: Visitor, client_id: str) -> None:
        """End every connection of a client to the visitor's account."""
        account_id = visitor.subject.account_id
        async with self.transactions() as store:
            grant_ids = await store.revoke_app(
                account_id, client_id, self.clock(), _only_by(visitor)
            )
            await store.record_event(
                AuditEvent(self.clock(), "app_revoked", account_id, visitor.actor, client_id)
            )
        await RevokedAccess(account_id, grant_ids).announce(self.feed)

    async def revoke_all_apps(self, visitor: Visitor) -> None:
        """End every connection to the visitor's account, and all remembered consents."""
        account_id = visitor.subject.account_id
        async with self.transactions() as store:
            grant_ids = await store.revoke_all_apps(account_id, self.clock(), _only_by(visitor))
            await store.record_event(
                AuditEvent(self.clock(), "all_apps_revoked", account_id, visitor.actor, "")
            )
        await RevokedAccess(account_id, grant_ids).announce(self.feed)

    async def sessions(self, visitor: Visitor) -> Sequence[WebSession]:
        """Return the visitor's living sessions."""
        now = self.clock()
        async with self.transactions() as store:
            found = await store.sessions(visitor.account.account_id)
        return [session for session in found if session.is_valid(now)]

    async def end_session(self, visitor: Visitor, session_id: str) -> None:
        """End one of the visitor's sessions."""
        async with self.transactions() as store:
            await store.end_session(visitor.account.account_id, session_id)
            await self._audit(visitor, store, "session_ended")

    async def end_other_sessions(self, visitor: Visitor) -> None:
        """End all of the visitor's sessions but this one."""
        async with self.transactions() as store:
            await store.end_other_sessions(visitor.account.account_id, visitor.session.session_id)
            await self._audit(visitor, store, "other_sessions_ended")

    async def security_log(self, visitor: Visitor) -> Sequence[AuditEvent]:
        """Return the newest events of the account that the visitor acts for.

        Raises:
            OwnersOnly: They are a member of it and no owner.
        """
        check_owner(visitor)
        async with self.transactions() as store:
            entries = await store.audit_log(visitor.subject.account_id, _EVENTS)
        return [_as_owners_see(entry.event) for entry in entries]

    async def app_names(self, events: Sequence[AuditEvent]) -> Mapping[str, str]:
        """Return the names of the apps that events are about, by the id in their detail."""
        async with self.transactions() as store:
            return await store.app_names({event.detail for event in events if event.detail})

    async def change_password(self, visitor: Visitor, change: PasswordChange) -> None:
        """Set a new password.

        Raises:
            ReauthenticationFailed: The current password is another.
            InvalidInput: The new one is not possible.
        """
        await self.reauthenticate(visitor, change.current)
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
            await self.mailer.post(store, mails.notice(account.email, "Your password was changed"))
        await ended.announce(self.feed)

    async def delete(self, visitor: Visitor, password: str, repeated_email: str) -> None:
        """Delete the account with all that belongs to it; the audit log keeps that it happened.

        Raises:
            ReauthenticationFailed: The password is another.
            InvalidInput: The address typed to confirm is another.
            LastOwner: An organisation would be left without an owner.
        """
        account = visitor.account
        if normalised_email(repeated_email) != account.email:
            raise InvalidInput(
                f"Type {account.email} to delete the account.", details={"field": "confirm_email"}
            )
        await self.reauthenticate(visitor, password)
        async with self.transactions() as store:
            await check_owns_none_alone(store, account.account_id)
            event = AuditEvent(self.clock(), "account_deleted", account.account_id, "owner", "")
            ended = await self.deletion.delete(store, account, event)
        await ended.announce(self.feed)
        await self.feed.announce(account.account_id, "account_deleted")

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
                    "own_limits": account.limits and asdict(account.limits),
                },
                "usage": [asdict(day) for day in usage.by_day],
                "api_keys": [asdict(key) for key in await store.keys(account.account_id)],
                "apps": [asdict(app) for app in await store.apps(account.account_id)],
                "organisations": [
                    asdict(m) for m in await store.organisations.memberships(account.account_id)
                ],
                "sessions": [asdict(s) for s in await store.sessions(account.account_id)],
                "security_log": [
                    asdict(_as_owners_see(entry.event))
                    for entry in await store.audit_log(account.account_id, 10_000)
                ],
            }

    async def reauthenticate(self, visitor: Visitor, password: str) -> None:
        """Check the visitor's password, or that a visitor without one has just logged in.

        Raises:
            ReauthenticationFailed: The password is another, or the login was long ago.
            TooManyAttempts: Too many passwords were tried in this session.
        """
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


def _as_owners_see(event: AuditEvent) -> AuditEvent:
    """Return an event without an operator's name, machine and reason, which are the operators' own."""
    actor = "operator" if event.actor.startswith("operator ") else event.actor
    return replace(event, actor=actor, reason="")


def _only_by(visitor: Visitor) -> str | None:
    """Return the id of a member, who sees and ends their own connections only; None for owners."""
    return None if visitor.is_owner else visitor.member_id
