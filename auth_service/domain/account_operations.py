"""Use cases of operators on one account: deletion, access, limits and usage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from auth_service.domain import usage as ledger
from auth_service.domain.account_access import AccountGrant, GrantNotFound, SessionNotFound
from auth_service.domain.account_deletion import AccountDeletion
from auth_service.domain.account_limits import AccountLimits, described, plan_of
from auth_service.domain.account_lookup import account_named, is_organisation_id
from auth_service.domain.accounts import Account
from auth_service.domain.operations import AccountReport, Operations
from auth_service.domain.organisations.deletion import delete_organisation
from auth_service.domain.organisations.membership_end import owned_alone
from auth_service.domain.organisations.model import LastOwner
from auth_service.domain.ports import AuditEvent, Clock, RevocationPublisher
from auth_service.domain.site import mails
from auth_service.domain.site.access_revocation import RevokedAccess
from auth_service.domain.site.limited_mailer import LimitedMailer
from auth_service.domain.site.ports import SiteStore, SiteTransactions
from auth_service.domain.site.recovery import new_reset_link
from auth_service.domain.site.sessions import WebSession
from servicekit.errors import Conflict, InvalidInput, ResourceExhausted
from shapes.auth.auth import CredentialUsage

_INBOX_IS_FULL = 3_600.0


@dataclass(frozen=True, slots=True)
class AccountUsage:
    """An account's requests of a month, by tool and by key or connection, the largest first."""

    account_id: str
    requests: int
    monthly_requests: int
    by_tool: Mapping[str, int]
    by_key: Sequence[CredentialUsage]


@dataclass(frozen=True, slots=True)
class AccountOperations:
    """What operators do with one account. `actor` in each names who acts, and `reason` is theirs, for the audit log."""

    transactions: SiteTransactions
    operations: Operations
    deletion: AccountDeletion
    limited_mailer: LimitedMailer
    feed: RevocationPublisher
    clock: Clock
    reason: str = ""

    def because(self, reason: str) -> "AccountOperations":
        """Return the use cases for a reason."""
        return replace(self, reason=reason)

    async def delete(self, email: str, actor: str) -> tuple[Account, RevokedAccess]:
        """Delete an account, as its owner's own deletion does, or an organisation.

        Raises:
            AccountNotFound: There is no such account.
            LastOwner: An organisation would be left without an owner.
        """
        async with self.transactions() as store:
            account = await account_named(store, email)
            await store.lock_account(account.account_id)
            if is_organisation_id(account.account_id):
                event = self._event("organisation_deleted", account, actor)
                ended = await delete_organisation(
                    store, account, event, self.deletion.deleted_accounts, self.deletion.mailer
                )
            else:
                await _check_no_organisation_is_left(store, account)
                event = self._event("account_deleted", account, actor)
                ended = await self.deletion.delete(store, account, event)
        await ended.announce(self.feed)
        await self.feed.announce(account.account_id, "account_deleted")
        return account, ended

    async def send_password_reset(self, email: str, actor: str) -> AccountReport:
        """Mail a person a link to choose a new password; nothing ends before they have chosen it.

        Raises:
            AccountNotFound: There is no such account.
            Conflict: The account is disabled.
            ResourceExhausted: The inbox has very many links that work.
            Unavailable: This installation sends no mails.
        """
        self.limited_mailer.mailer.check()
        async with self.transactions() as store:
            account = await _person(store, email)
            if account.disabled_at is not None:
                raise Conflict(f"{account.email} is disabled. Enable the account first.")
            now = self.clock()
            if not await self.limited_mailer.allows_reset(store, account.account_id, now):
                raise ResourceExhausted(
                    f"{account.email} was sent very many links within the hour.",
                    retry_after=_INBOX_IS_FULL,
                )
            link = await new_reset_link(store, self.limited_mailer.links, account.account_id, now)
            await self.limited_mailer.send(
                store, mails.password_reset_by_operator(account.email, link)
            )
            await store.record_event(self._event("reset_sent", account, actor))
        return await self.operations.account(email)

    async def sessions(self, email: str) -> Sequence[WebSession]:
        """Return the sessions in which a person is logged in."""
        async with self.transactions() as store:
            return await self._living(store, await _person(store, email))

    async def end_sessions(
        self, email: str, session_id: str | None, actor: str
    ) -> Sequence[WebSession]:
        """End one session of a person, or all with logins that wait for a code; return those ended.

        Raises:
            AccountNotFound: There is no such account.
            SessionNotFound: The account has no such session.
        """
        async with self.transactions() as store:
            account = await _person(store, email)
            living = await self._living(store, account)
            if session_id is None:
                await store.end_other_sessions(account.account_id, None)
                await store.two_factor.end_pending_logins(account.account_id)
                await store.record_event(self._event("sessions_ended", account, actor))
                return living
            ended = [session for session in living if session.session_id == session_id]
            if not ended:
                raise SessionNotFound(
                    f"{account.email} has no session {session_id}.",
                    details={"field": "session_id"},
                )
            await store.end_session(account.account_id, session_id)
            await store.record_event(self._event("session_ended", account, actor, session_id))
            return ended

    async def grants(self, email: str) -> Sequence[AccountGrant]:
        """Return the active connections of an account, newest first."""
        async with self.transactions() as store:
            account = await account_named(store, email)
            return await store.grants.of_account(account.account_id, self.clock())

    async def revoke_grant(self, grant_id: str, actor: str) -> AccountGrant:
        """Revoke a connection for good; its person is asked again before the next one.

        Raises:
            GrantNotFound: There is no such connection.
        """
        async with self.transactions() as store:
            grant = await store.grants.revoke(grant_id, self.clock())
            if grant is None:
                raise GrantNotFound(
                    f"There is no connection {grant_id}.", details={"field": "grant_id"}
                )
            event = AuditEvent(
                self.clock(), "grant_revoked", grant.account_id, actor, grant_id, self.reason
            )
            await store.record_event(event)
        await self.feed.announce(grant.account_id, "grant_revoked", credential_id=grant_id)
        return grant

    async def set_limits(self, email: str, limits: AccountLimits, actor: str) -> AccountReport:
        """Give an account limits of its own, in place of those that it had.

        Raises:
            AccountNotFound: There is no such account.
            InvalidInput: No limit is given, or one is out of range.
        """
        limits.check(self.clock())
        event = AuditEvent(
            self.clock(), "limits_set", None, actor, described(limits), self.reason or limits.reason
        )
        return await self._change_limits(email, limits, event)

    async def clear_limits(self, email: str, actor: str) -> AccountReport:
        """Leave an account the limits of its plan.

        Raises:
            AccountNotFound: There is no such account.
        """
        event = AuditEvent(self.clock(), "limits_cleared", None, actor, "", self.reason)
        return await self._change_limits(email, None, event)

    async def usage(self, email: str, month: str) -> AccountUsage:
        """Return an account's requests of a month (`YYYY-MM`).

        Raises:
            AccountNotFound: There is no such account.
            InvalidInput: It is no month.
        """
        first, following = ledger.month_bounds(month)
        async with self.transactions() as store:
            account = await account_named(store, email)
            usage = await store.ledger.usage(account.account_id, first, following)
            by_key = await store.organisations.usage_by_credential(
                account.account_id, first, following
            )
        by_tool: dict[str, int] = {}
        for day in usage.by_day:
            by_tool[day.tool] = by_tool.get(day.tool, 0) + day.requests
        ordered = sorted(by_tool.items(), key=lambda item: (-item[1], item[0]))
        plan = plan_of(account, self.operations.plans, self.clock())
        return AccountUsage(
            account.account_id,
            usage.requests,
            plan.monthly_requests,
            {tool: requests for tool, requests in ordered if requests},
            by_key,
        )

    async def _change_limits(
        self, email: str, limits: AccountLimits | None, event: AuditEvent
    ) -> AccountReport:
        async with self.transactions() as store:
            account = await account_named(store, email)
            await store.lock_account(account.account_id)
            await store.change_limits(account.account_id, limits)
            await store.record_event(replace(event, account_id=account.account_id))
        await self.feed.announce(account.account_id, event.event)
        return await self.operations.account(email)

    async def _living(self, store: SiteStore, account: Account) -> Sequence[WebSession]:
        now = self.clock()
        return [s for s in await store.sessions(account.account_id) if s.is_valid(now)]

    def _event(self, event: str, account: Account, actor: str, detail: str = "") -> AuditEvent:
        return AuditEvent(self.clock(), event, account.account_id, actor, detail, self.reason)


async def _person(store: SiteStore, email: str) -> Account:
    account = await account_named(store, email)
    if is_organisation_id(account.account_id):
        raise InvalidInput(
            "An organisation has no password and no sessions: its members have.",
            details={"field": "email"},
        )
    return account


async def _check_no_organisation_is_left(store: SiteStore, account: Account) -> None:
    """Refuse to delete the only owner of an organisation.

    Raises:
        LastOwner: Nobody else owns one of the organisations.
    """
    membership = await owned_alone(store, account.account_id)
    if membership is None:
        return
    others = len(await store.organisations.members(membership.organisation_id)) - 1
    members = {0: "no other members", 1: "one other member"}.get(others, f"{others} other members")
    way = "Let another member be made an owner there, or delete" if others else "Delete"
    raise LastOwner(
        f"{account.email} is the only owner of {membership.name} ({membership.organisation_id}), which "
        f"has {members}. {way} the organisation first: sponsorgraph account delete "
        f"{membership.organisation_id}"
    )
