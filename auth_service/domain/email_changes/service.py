"""Change an account's address: requested with the password, and confirmed in both inboxes.

What is answered never tells whether the new address has an account: a mail does, to its owner alone
(OWASP ASVS 5.0, 6.3.8).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from auth_service.domain.accounts import Account
from auth_service.domain.addresses import normalised_email
from auth_service.domain.email_changes.ports import EmailChange, Side
from auth_service.domain.oauth import secrets
from auth_service.domain.ports import UNKNOWN, AuditEvent
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import mails
from auth_service.domain.site.limited_mailer import LimitedMailer
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.ports import SiteStore, SiteTransactions
from auth_service.domain.site.request_origin import RequestOrigin
from auth_service.domain.two_factor.service import TwoFactor
from servicekit.errors import InvalidInput, NotFound

LIFETIME: Final = timedelta(days=1)
DEAD_TEXT: Final = (
    "It is older than a day, or the change was made, cancelled or requested anew since."
)
_REQUESTS: Final = RateLimit("email-change", 5, 3_600)
_LINKS_OF_AN_INBOX: Final = RateLimit("email-change-inbox", 20, 3_600)

AddressFollower = Callable[[Account], Awaitable[None]]
"""Tells another system of an account's new address; never fails."""


class EmailChangeLinkIsDead(NotFound):
    default_reason = "LINK_IS_DEAD"


class Outcome(Enum):
    """The outcome of a confirmation."""

    WAITING = "waiting"
    CHANGED = "changed"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True)
class EmailChanges:
    """Request, confirm and cancel a change of address."""

    transactions: SiteTransactions
    two_factor: TwoFactor
    limited_mailer: LimitedMailer
    follow: AddressFollower | None

    async def pending(self, visitor: Visitor) -> EmailChange | None:
        """Return the visitor's change that waits, if any."""
        async with self.transactions() as store:
            return await store.email_changes.of_account(visitor.account.account_id, self._now())

    async def request(
        self, visitor: Visitor, email: str, password: str, code: str, origin: RequestOrigin
    ) -> None:
        """Mail a link to the new address, and one to the old.

        Raises:
            InvalidInput: It is no address, or the account's own.
            ReauthenticationFailed, WrongCode: See `TwoFactor.reauthenticate`.
            TooManyAttempts: Too many changes were requested.
            Unavailable: This installation sends no mails.
        """
        account, address = visitor.account, normalised_email(email)
        if address == account.email:
            raise InvalidInput("This is your address already.", details={"field": "email"})
        await self.two_factor.reauthenticate(visitor, password, code, origin)
        await _REQUESTS.check(self.two_factor.codes.throttle, account.account_id)
        await self.limited_mailer.check(address, origin.network)
        old_token, new_token = secrets.new_secret(), secrets.new_secret()
        now = self._now()
        change = EmailChange(
            account.account_id, address, visitor.session.session_id, now, now + LIFETIME
        )
        async with self.transactions() as store:
            await store.lock_account(account.account_id)
            await store.email_changes.begin(
                change, secrets.sha256(old_token), secrets.sha256(new_token)
            )
            await self._audit(store, account.account_id, "email_change_requested", origin)
            is_taken = await store.account_by_email(address) is not None
            notice = mails.email_change_notice(account.email, address, self._link(old_token))
            await self.limited_mailer.send(store, notice)
        await self._mail_new_address(account, address, self._link(new_token), is_taken=is_taken)

    async def of_link(self, token: str) -> tuple[EmailChange, Side] | None:
        """Return the change that a link is of and its inbox, None if it works no more."""
        async with self.transactions() as store:
            return await store.email_changes.of_token(secrets.sha256(token), self._now())

    async def confirm(self, token: str, origin: RequestOrigin) -> tuple[Outcome, EmailChange]:
        """Confirm a change by a link; the second confirmation sets the address.

        The session that requested it goes on, and all others end.

        Raises:
            EmailChangeLinkIsDead: The link was never mailed, is too old, or its change has ended.
        """
        digest, now = secrets.sha256(token), self._now()
        async with self.transactions() as store:
            found = await store.email_changes.of_token(digest, now)
            if found is None:
                raise _dead()
            account_id, side = found[0].account_id, found[1]
            await store.lock_account(account_id)
            # Read again: what was read before the lock may have ended meanwhile.
            if await store.email_changes.of_token(digest, now) is None:
                raise _dead()
            await store.email_changes.confirm(account_id, side, now)
            change = await store.email_changes.of_account(account_id, now)
            account = await store.account(account_id)
            if change is None or account is None or account.disabled_at is not None:
                raise _dead()
            if not change.is_confirmed:
                return Outcome.WAITING, change
            is_changed = await self._apply(store, change, origin)
            if is_changed:
                await self._report_change(store, account.email, change.new_email)
        if not is_changed:
            return Outcome.TAKEN, change
        await self._follow_change(account_id)
        return Outcome.CHANGED, change

    async def cancel_by_link(self, token: str, origin: RequestOrigin) -> None:
        """End a change by a link of either inbox.

        Raises:
            EmailChangeLinkIsDead: The link was never mailed, is too old, or its change has ended.
        """
        async with self.transactions() as store:
            found = await store.email_changes.of_token(secrets.sha256(token), self._now())
            if found is None or not await store.email_changes.end(found[0].account_id):
                raise _dead()
            await self._audit(store, found[0].account_id, "email_change_cancelled", origin, UNKNOWN)

    async def cancel(self, visitor: Visitor, origin: RequestOrigin) -> None:
        """End the visitor's change, if there is one."""
        account_id = visitor.account.account_id
        async with self.transactions() as store:
            if await store.email_changes.end(account_id):
                await self._audit(store, account_id, "email_change_cancelled", origin)

    async def _apply(self, store: SiteStore, change: EmailChange, origin: RequestOrigin) -> bool:
        is_changed = await store.email_changes.apply(change)
        await store.email_changes.end(change.account_id)
        event = "email_changed" if is_changed else "email_change_cancelled"
        if is_changed:
            await store.end_other_sessions(change.account_id, change.session_id)
        await self._audit(store, change.account_id, event, origin)
        return is_changed

    async def _mail_new_address(
        self, account: Account, address: str, link: str, *, is_taken: bool
    ) -> None:
        if is_taken:
            is_allowed = await self.limited_mailer.allows_account_notice(address)
            mail = mails.email_change_taken(address, self.limited_mailer.links.to("/login"))
        else:
            wait = await _LINKS_OF_AN_INBOX.wait(self.two_factor.codes.throttle, address)
            is_allowed = wait is None
            mail = mails.email_change(address, account.email, link)
        if is_allowed:
            async with self.transactions() as store:
                await self.limited_mailer.send(store, mail)

    async def _report_change(self, store: SiteStore, old_email: str, new_email: str) -> None:
        text = f"The address of your account was changed from {old_email} to {new_email}"
        for address in (old_email, new_email):
            await self.limited_mailer.send(store, mails.notice(address, text))

    async def _follow_change(self, account_id: str) -> None:
        if self.follow is None:
            return
        async with self.transactions() as store:
            changed = await store.account(account_id)
        if changed is not None:
            await self.follow(changed)

    async def _audit(
        self,
        store: SiteStore,
        account_id: str,
        event: str,
        origin: RequestOrigin,
        actor: str = "owner",
    ) -> None:
        detail = f"from {origin.address}"
        await store.record_event(AuditEvent(self._now(), event, account_id, actor, detail))

    def _link(self, token: str) -> str:
        return self.limited_mailer.links.to("/email-change", token=token)

    def _now(self) -> datetime:
        return self.two_factor.accounts.clock()


def _dead() -> EmailChangeLinkIsDead:
    return EmailChangeLinkIsDead(DEAD_TEXT)
