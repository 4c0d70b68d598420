"""How people come in: sign-up, confirmation, login, forgotten passwords.

What is answered never tells whether an address has an account: the mail does, to its owner alone
(OWASP ASVS 5.0, 6.3.8).
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from auth_service.domain.accounts import Account, normalised_email
from auth_service.domain.oauth import secrets
from auth_service.domain.passwords import Passwords
from auth_service.domain.plans import FREE
from auth_service.domain.ports import AuditEvent, Clock, StandingFeed, Throttle
from auth_service.domain.site import mails
from auth_service.domain.site.access_ending import end_access
from auth_service.domain.site.login_attempts import KnownDevice, LoginAttempts
from auth_service.domain.site.mails import LIFETIMES, Mailer, Purpose
from auth_service.domain.site.ports import SiteStore, SiteTransactions
from auth_service.domain.site.providers import Identity
from auth_service.domain.site.sessions import ABSOLUTE, WebSession
from auth_service.domain.throttling import Limit, network_of
from servicekit.errors import Unauthenticated

_SIGN_UPS: Final = Limit("sign-up", 20, 3_600)
_RESETS: Final = Limit("reset", 30, 3_600)
_MAILS: Final = Limit("mail", 5, 3_600)
_TOUCH_SECONDS: Final = 60
_MAX_USER_AGENT: Final = 200


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who is logged in, and over which session."""

    account: Account
    session: WebSession


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of this site for mails. They come from the settings, never from a request."""

    site_url: str

    def to(self, path: str, **query: str) -> str:
        kept = {name: value for name, value in query.items() if value}
        return f"{self.site_url}{path}" + (f"?{urlencode(kept)}" if kept else "")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request comes from: its address, what its browser calls itself, who knows it."""

    address: str
    user_agent: str
    device: KnownDevice

    @property
    def network(self) -> str:
        """What limits are counted by."""
        return network_of(self.address)


@dataclass(frozen=True, slots=True)
class Entrance:
    """The use cases. Secrets of sessions are returned once and stored hashed."""

    transactions: SiteTransactions
    passwords: Passwords
    mailer: Mailer
    feed: StandingFeed
    throttle: Throttle
    clock: Clock
    links: Links

    async def sign_up(self, email: str, password: str, following: str, origin: Origin) -> None:
        """Makes an account that works once its address is confirmed.

        Raises:
            InvalidInput: The address or password is not possible.
            ResourceExhausted: Too many from this address.
        """
        await _SIGN_UPS.check(self.throttle, origin.network)
        address = normalised_email(email)
        account = Account(
            account_id=secrets.new_id("acc"),
            email=address,
            plan_id=FREE,
            created_at=self.clock(),
            password_hash=await self.passwords.hash(password, address),
        )
        await _MAILS.check(self.throttle, address)
        async with self.transactions() as store:
            if await store.add_account(account):
                await self._note(store, "signed_up", account.account_id, origin)
                await self._mail_confirmation(store, account, following)
                return
            known = await store.account_by_email(address)
            if known is not None and known.email_confirmed_at is None:
                # Nobody has shown yet that the address is theirs: the last one to ask may.
                await store.change_password(known.account_id, account.password_hash)
                await self._mail_confirmation(store, known, following)
                return
        link = self.links.to("/login", next=following)
        self.mailer.post(mails.already_registered(address, link))

    async def confirm(self, token: str) -> bool:
        """Confirms the address that the token was mailed to; False when the token is no good."""
        async with self.transactions() as store:
            now = self.clock()
            account_id = await store.take_mail_token(secrets.sha256(token), "confirm", now)
            if account_id is None:
                return False
            await store.confirm_email(account_id, now)
            await store.note(AuditEvent(now, "email_confirmed", account_id, "owner", ""))
            return True

    async def log_in(self, email: str, password: str, following: str, origin: Origin) -> str:
        """The secret of a new session.

        Raises:
            Unauthenticated: Address or password is wrong, or the address is not confirmed yet.
            ResourceExhausted: Too many attempts.
        """
        address = email.strip().casefold()
        attempts = LoginAttempts(self.throttle)
        await attempts.check(address, origin.network, origin.device)
        async with self.transactions() as store:
            account = await store.account_by_email(address)
        stored = account.password_hash if account else None
        matches = await self.passwords.matches(password, stored)
        async with self.transactions() as store:
            if account is None or not matches:
                known = account.account_id if account else None
                await self._note(store, "login_failed", known, origin)
            elif account.email_confirmed_at is None:
                await _MAILS.check(self.throttle, address)
                await self._mail_confirmation(store, account, following)
            elif account.disabled_at is None:
                if stored and self.passwords.is_outdated(stored):
                    renewed = await self.passwords.hash(password)
                    await store.renew_hash(account.account_id, renewed)
                await attempts.forget(address, origin.network, origin.device)
                return await self._open_session(store, account, origin, "password")
        raise _refusal(account if matches else None)

    async def log_in_by(self, identity: Identity, origin: Origin) -> str:
        """The secret of a new session of the account with this identity's address.

        The account is made when it is new. A provider vouches for the address, which so counts as
        confirmed; a password that somebody else may have set before does not survive that.
        """
        address = normalised_email(identity.email)
        now = self.clock()
        new = Account(
            account_id=secrets.new_id("acc"),
            email=address,
            plan_id=FREE,
            created_at=now,
            email_confirmed_at=now,
        )
        async with self.transactions() as store:
            if await store.add_account(new):
                await self._note(store, "signed_up", new.account_id, origin)
            account = await store.account_by_email(address)
            if account is None or account.disabled_at is not None:
                raise _refusal(account)
            if account.email_confirmed_at is None:
                await store.change_password(account.account_id, None)
                await store.confirm_email(account.account_id, now)
            return await self._open_session(store, account, origin, identity.provider)

    async def visitor(self, secret: str | None) -> Visitor | None:
        """Whose session this is, if it lives."""
        if not secret:
            return None
        now = self.clock()
        async with self.transactions() as store:
            session = await store.session(secrets.sha256(secret))
            if session is None or not session.lives(now):
                return None
            account = await store.account(session.account_id)
            if account is None or account.disabled_at is not None:
                return None
            if (now - session.last_seen_at).total_seconds() > _TOUCH_SECONDS:
                await store.touch_session(session.session_id, now)
        return Visitor(account, session)

    async def log_out(self, visitor: Visitor) -> None:
        """Ends the visitor's session for good."""
        async with self.transactions() as store:
            await store.end_session(visitor.account.account_id, visitor.session.session_id)
            await store.note(
                AuditEvent(self.clock(), "logged_out", visitor.account.account_id, "owner", "")
            )

    async def ask_reset(self, email: str, origin: Origin) -> None:
        """Mails a link to choose a new password, if there is such an account."""
        await _RESETS.check(self.throttle, origin.network)
        address = normalised_email(email)
        await _MAILS.check(self.throttle, address)
        async with self.transactions() as store:
            account = await store.account_by_email(address)
            if account is None or account.disabled_at is not None:
                return
            token = await self._mail_token(store, account, "reset")
            self.mailer.post(mails.password_reset(address, self.links.to("/reset", token=token)))
            await self._note(store, "reset_asked", account.account_id, origin)

    async def reset(self, token: str, password: str, *, revoke_keys: bool) -> bool:
        """Sets the password; ends sessions, applications and, when asked, API keys.

        Whoever forgot a password may have lost it to somebody, who must not stay.

        Returns:
            False when the token is no good.

        Raises:
            InvalidInput: The password is not possible; the token goes on working.
        """
        digest, now = secrets.sha256(token), self.clock()
        async with self.transactions() as store:
            account_id = await store.mail_token_account(digest, "reset", now)
            account = await store.account(account_id) if account_id else None
        if account is None:
            return False
        hashed = await self.passwords.hash(password, account.email)
        async with self.transactions() as store:
            if await store.take_mail_token(digest, "reset", now) is None:
                return False
            await store.change_password(account.account_id, hashed)
            if account.email_confirmed_at is None:
                await store.confirm_email(account.account_id, now)
            await store.end_other_sessions(account.account_id, None)
            ended = await end_access(store, account.account_id, now, keys=revoke_keys)
            await store.note(AuditEvent(now, "password_reset", account.account_id, "owner", ""))
        await LoginAttempts(self.throttle).forget_all(account.email)
        await ended.announce(self.feed)
        self.mailer.post(mails.notice(account.email, "Your password was changed"))
        return True

    async def _open_session(
        self, store: SiteStore, account: Account, origin: Origin, by: str
    ) -> str:
        secret = secrets.new_secret()
        now = self.clock()
        session = WebSession(
            session_id=secrets.new_id("ses"),
            account_id=account.account_id,
            user_agent=origin.user_agent[:_MAX_USER_AGENT],
            created_at=now,
            last_seen_at=now,
            expires_at=now + ABSOLUTE,
        )
        await store.add_session(session, secrets.sha256(secret))
        detail = f"by {by} from {origin.address}"
        await store.note(AuditEvent(now, "logged_in", account.account_id, "owner", detail))
        return secret

    async def _mail_confirmation(self, store: SiteStore, account: Account, following: str) -> None:
        token = await self._mail_token(store, account, "confirm")
        link = self.links.to("/confirm", token=token, next=following)
        self.mailer.post(mails.confirmation(account.email, link))

    async def _mail_token(self, store: SiteStore, account: Account, purpose: Purpose) -> str:
        token = secrets.new_secret()
        expires_at = self.clock() + LIFETIMES[purpose]
        await store.add_mail_token(secrets.sha256(token), account.account_id, purpose, expires_at)
        return token

    async def _note(
        self, store: SiteStore, event: str, account_id: str | None, origin: Origin
    ) -> None:
        detail = f"from {origin.address}"
        await store.note(AuditEvent(self.clock(), event, account_id, "owner", detail))


def _refusal(account: Account | None) -> Unauthenticated:
    if account is None:
        return Unauthenticated("This address and password do not match.", "LOGIN_FAILED")
    if account.disabled_at is not None:
        return Unauthenticated(
            "This account is disabled. Write to the operator of this service.", "ACCOUNT_DISABLED"
        )
    return Unauthenticated(
        "Confirm your address first: we have sent you another mail with the link.",
        "EMAIL_NOT_CONFIRMED",
    )
