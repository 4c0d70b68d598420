"""Login by password or provider, and the sessions that it opens.

No answer tells whether an address has an account, by its words or its time (OWASP ASVS 5.0, 6.3.8).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from auth_service.domain.accounts import Account
from auth_service.domain.addresses import normalised_email
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.oauth import secrets
from auth_service.domain.organisations.acting import acting_for
from auth_service.domain.organisations.model import Membership
from auth_service.domain.passwords import Passwords
from auth_service.domain.ports import UNKNOWN, AuditEvent, Clock, Throttle
from auth_service.domain.site.deferred_work import DeferredWorkQueue
from auth_service.domain.site.limited_mailer import LimitedMailer
from auth_service.domain.site.login_attempts import LoginAttempts
from auth_service.domain.site.new_accounts import open_account
from auth_service.domain.site.ports import SignUp, SiteStore, SiteTransactions
from auth_service.domain.site.providers import Identity
from auth_service.domain.site.request_origin import RequestOrigin
from auth_service.domain.site.sessions import WebSession
from auth_service.domain.site.sign_ups import SIGN_UP, sign_up_work
from auth_service.domain.two_factor.second_step import LoginResult, SecondStep
from servicekit.errors import Unauthenticated

_TOUCH_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person who is logged in, the session, and the organisation that the session acts for, if any."""

    account: Account
    session: WebSession
    memberships: Sequence[Membership] = ()
    organisation: Account | None = None

    @property
    def subject(self) -> Account:
        """The account that the person acts for: the organisation's, or else their own."""
        return self.organisation or self.account

    @property
    def membership(self) -> Membership | None:
        """The membership of the organisation that the person acts for."""
        subject_id = self.subject.account_id
        return next((m for m in self.memberships if m.organisation_id == subject_id), None)

    @property
    def is_owner(self) -> bool:
        """Return whether the person owns the account that they act for."""
        return self.membership is None or self.membership.is_owner

    @property
    def member_id(self) -> str | None:
        """The person's id when they act for an organisation, else None."""
        return None if self.organisation is None else self.account.account_id

    @property
    def actor(self) -> str:
        """The person, for the audit log of the account that they act for."""
        return "owner" if self.member_id is None else f"member {self.member_id}"


@dataclass(frozen=True, slots=True)
class LoginService:
    """Log in, recognise sessions and log out. Secrets of sessions are returned once and stored hashed."""

    transactions: SiteTransactions
    passwords: Passwords
    limited_mailer: LimitedMailer
    deferred: DeferredWorkQueue
    deleted_accounts: DeletedAccounts
    throttle: Throttle
    clock: Clock
    second_step: SecondStep

    async def log_in(
        self, email: str, password: str, following: str, origin: RequestOrigin
    ) -> LoginResult:
        """Open a session, or a pending login of an account with a second factor.

        Raises:
            Unauthenticated: Address or password is wrong, or the address is not confirmed yet.
            ResourceExhausted: Too many attempts.
        """
        address = normalised_email(email)
        attempts = LoginAttempts(self.throttle)
        await attempts.check(address, origin.network, origin.device)
        now, browser = self.clock(), secrets.sha256(origin.browser)
        async with self.transactions() as store:
            account = await store.account_by_email(address)
            sign_up = await store.newest_sign_up(address, browser, now)
        if account is not None and account.email_confirmed_at is None:
            account = None
        waiting = sign_up.password_hash if sign_up else None
        stored = account.password_hash if account else waiting
        # One password is checked whatever there is, so that the time of the answer tells nothing.
        if await self.passwords.matches(password, stored):
            if account is None and sign_up is not None:
                await self._sign_up_again(sign_up, following, origin)
            elif account is not None and account.disabled_at is None:
                await self._renew_hash(account, password)
                await attempts.forget(address, origin.network, origin.device)
                async with self.transactions() as store:
                    return await self.second_step.admit(
                        store, account, "password", following, origin
                    )
            raise _refusal(account)
        async with self.transactions() as store:
            known = account.account_id if account else None
            await self._audit(store, "login_failed", known, origin, UNKNOWN)
        raise _mismatch()

    async def log_in_by(
        self, identity: Identity, following: str, origin: RequestOrigin
    ) -> LoginResult:
        """Open a session, or a pending login, of the account with this identity's address.

        The account is made when it is new. A provider vouches for the address, which so counts as
        confirmed; a password that somebody else may have set before does not survive that.
        """
        address = normalised_email(identity.email)
        now = self.clock()
        async with self.transactions() as store:
            opened = await open_account(store, self.deleted_accounts, address, None, now)
            if opened is not None:
                await self._audit(store, "signed_up", opened.account_id, origin)
            account = opened or await store.account_by_email(address)
            if account is None:
                raise _mismatch()
            if account.disabled_at is not None:
                raise _refusal(account)
            return await self.second_step.admit(
                store, account, identity.provider, following, origin
            )

    async def log_in_confirmed(
        self, account: Account, following: str, origin: RequestOrigin
    ) -> LoginResult:
        """Open a session in the browser that has confirmed its sign-up for this account.

        Raises:
            Unauthenticated: The account is disabled.
        """
        if account.disabled_at is not None:
            raise _refusal(account)
        async with self.transactions() as store:
            return await self.second_step.admit(store, account, "confirmation", following, origin)

    async def visitor(self, secret: str | None) -> Visitor | None:
        """Return the visitor of a session; None if it has ended."""
        if not secret:
            return None
        now = self.clock()
        async with self.transactions() as store:
            session = await store.session(secrets.sha256(secret))
            if session is None or not session.is_valid(now):
                return None
            account = await store.account(session.account_id)
            if account is None or account.disabled_at is not None:
                return None
            if (now - session.last_seen_at).total_seconds() > _TOUCH_SECONDS:
                await store.touch_session(session.session_id, now)
            memberships, organisation = await acting_for(store, session)
        return Visitor(account, session, memberships, organisation)

    async def log_out(self, visitor: Visitor) -> None:
        """End the visitor's session for good."""
        async with self.transactions() as store:
            await store.end_session(visitor.account.account_id, visitor.session.session_id)
            await store.record_event(
                AuditEvent(self.clock(), "logged_out", visitor.account.account_id, "owner", "")
            )

    async def _sign_up_again(self, sign_up: SignUp, following: str, origin: RequestOrigin) -> None:
        """Sign up again in this browser, with the password that was given right."""
        await self.limited_mailer.check(sign_up.email, origin.network)
        work = sign_up_work(sign_up.email, sign_up.password_hash, following, origin)
        await self.deferred.put(SIGN_UP, work)

    async def _renew_hash(self, account: Account, password: str) -> None:
        if account.password_hash and self.passwords.is_outdated(account.password_hash):
            renewed = await self.passwords.renewed(password)
            async with self.transactions() as store:
                await store.renew_hash(account.account_id, renewed)

    async def _audit(
        self,
        store: SiteStore,
        event: str,
        account_id: str | None,
        origin: RequestOrigin,
        actor: str = "owner",
    ) -> None:
        detail = f"from {origin.address}"
        await store.record_event(AuditEvent(self.clock(), event, account_id, actor, detail))


def _mismatch() -> Unauthenticated:
    return Unauthenticated("This address and password do not match.", "LOGIN_FAILED")


def _refusal(account: Account | None) -> Unauthenticated:
    """To somebody who knows the password: of a disabled account, or of a sign-up."""
    if account is not None:
        return Unauthenticated(
            "This account is disabled. Write to the operator of this service.", "ACCOUNT_DISABLED"
        )
    return Unauthenticated(
        "Confirm your address first. A mail with the link is on its way, unless many were sent "
        "within the hour: then a link that came before works in this browser, too.",
        "EMAIL_NOT_CONFIRMED",
    )
