"""Sign-up: an account begins when its address is confirmed, by who has signed up with it.

A mailed link shows that somebody reads the inbox, whoever has asked for it. Which sign-up of the
address they confirm is shown by the browser that signed up, or else by the password of the sign-up
that the link was mailed for. So nobody gets an account with a password that somebody else chose,
and sign-ups of others, which may use up the mails of an address, keep nobody from their account.

What is answered never tells whether an address has an account: the mail does, to its owner alone
(OWASP ASVS 5.0, 6.3.8).
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from auth_service.domain.accounts import Account
from auth_service.domain.addresses import normalised_email
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.oauth import secrets
from auth_service.domain.passwords import Passwords
from auth_service.domain.ports import AuditEvent, Clock, Throttle
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import mails
from auth_service.domain.site.deferred_work import DeferredWorkQueue, Handler, Payload
from auth_service.domain.site.limited_mailer import LimitedMailer
from auth_service.domain.site.mails import LIFETIMES
from auth_service.domain.site.new_accounts import open_account
from auth_service.domain.site.ports import SignUp, SiteStore, SiteTransactions
from auth_service.domain.site.request_origin import RequestOrigin
from auth_service.domain.site.sessions import safe_next
from servicekit.errors import NotFound, Unauthenticated

SIGN_UP: Final = "sign_up"
"""The work of storing a sign-up and of mailing its link."""

_SIGN_UPS: Final = RateLimit("sign-up", 20, 3_600)
_CONFIRMATIONS: Final = RateLimit("confirmation", 10, 900)


class LinkIsDead(NotFound):
    default_reason = "LINK_IS_DEAD"


class PasswordNeeded(Unauthenticated):
    default_reason = "PASSWORD_NEEDED"


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A new account, and the path of this site that its owner was on the way to when signing up.

    The path is of the sign-up that was confirmed, never of the link: a stranger may have caused that.
    """

    account: Account
    following: str


@dataclass(frozen=True, slots=True)
class SignUps:
    """Begin and confirm the sign-up of an account."""

    transactions: SiteTransactions
    passwords: Passwords
    limited_mailer: LimitedMailer
    deferred: DeferredWorkQueue
    deleted_accounts: DeletedAccounts
    throttle: Throttle
    clock: Clock

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers of deferred work, by its kind."""
        return {SIGN_UP: self._begin}

    async def sign_up(
        self, email: str, password: str, following: str, origin: RequestOrigin
    ) -> None:
        """Mail a link that opens an account, or word that there is one.

        Raises:
            InvalidInput: The address or password is not possible.
            TooManyAttempts: Too many of this network.
        """
        await _SIGN_UPS.check(self.throttle, origin.network)
        address = normalised_email(email)
        hashed = await self.passwords.hash(password, address)
        await self.limited_mailer.check(address, origin.network)
        await self.deferred.put(SIGN_UP, sign_up_work(address, hashed, following, origin))

    async def needs_password(self, token: str, origin: RequestOrigin) -> bool:
        """Return whether the visitor with this link has to enter the password of the sign-up."""
        sign_up = await self._sign_up_for(token, origin)
        return sign_up is not None and not _is_of(sign_up, origin)

    async def confirm(self, token: str, password: str, origin: RequestOrigin) -> Confirmed:
        """Open the account that was signed up for; the token and all other sign-ups end.

        Whoever gets here may be logged in to it: they began the sign-up in this very browser, or know
        its password.

        Raises:
            LinkIsDead: It was used, is too old, or there is an account of the address.
            PasswordNeeded: The browser is another, and the password is not that of the sign-up.
            TooManyAttempts: Too many passwords were tried with this link.
        """
        now = self.clock()
        sign_up = await self._sign_up_for(token, origin)
        if sign_up is None:
            raise _dead()
        if not _is_of(sign_up, origin):
            await self._check_password(sign_up, password)
        async with self.transactions() as store:
            if not await store.end_sign_ups(sign_up):
                raise _dead()
            account = await open_account(
                store, self.deleted_accounts, sign_up.email, sign_up.password_hash, now
            )
            if account is None:
                raise _dead()
            detail = f"from {origin.address}"
            for event in ("signed_up", "email_confirmed"):
                await store.record_event(
                    AuditEvent(now, event, account.account_id, "owner", detail)
                )
        return Confirmed(account, safe_next(sign_up.following, ""))

    async def _sign_up_for(self, token: str, origin: RequestOrigin) -> SignUp | None:
        """Return this browser's sign-up of the link's address, or else the link's own."""
        now, browser = self.clock(), secrets.sha256(origin.browser)
        async with self.transactions() as store:
            linked = await store.sign_up_of_token(secrets.sha256(token), now)
            if linked is None or _is_of(linked, origin):
                return linked
            newest = await store.newest_sign_up(linked.email, browser, now)
        return newest if newest is not None and _is_of(newest, origin) else linked

    async def _check_password(self, sign_up: SignUp, password: str) -> None:
        if not password:
            raise PasswordNeeded("Give the password that you chose when you signed up.")
        await _CONFIRMATIONS.check(self.throttle, sign_up.sign_up_id)
        if not await self.passwords.matches(password, sign_up.password_hash):
            raise PasswordNeeded(
                "This is not the password of this sign-up. You signed up in another browser? Open "
                "the link there."
            )

    async def _begin(self, store: SiteStore, payload: Payload) -> None:
        address, now = payload["email"], self.clock()
        known = await store.account_by_email(address)
        if known is not None and known.email_confirmed_at is not None:
            if await self.limited_mailer.allows_account_notice(address):
                # Whoever signed up chose where they were going: the owner of the address did not.
                link = self.limited_mailer.links.to("/login")
                await self.limited_mailer.send(store, mails.already_registered(address, link))
            return
        sign_up = SignUp(
            sign_up_id=secrets.new_id("sup"),
            email=address,
            password_hash=payload["password_hash"],
            browser_sha256=bytes.fromhex(payload["browser_sha256"]),
            created_at=now,
            expires_at=now + LIFETIMES["confirm"],
            following=payload["following"],
        )
        await store.add_sign_up(sign_up)
        if not await self.limited_mailer.allows_confirmation(store, address, now):
            return
        token = secrets.new_secret()
        await store.set_sign_up_token(sign_up.sign_up_id, secrets.sha256(token))
        link = self.limited_mailer.links.to("/confirm", token=token)
        await self.limited_mailer.send(store, mails.confirmation(address, link))


def sign_up_work(
    address: str, password_hash: str, following: str, origin: RequestOrigin
) -> Payload:
    """Return the work of a sign-up in the browser of a request."""
    return {
        "email": address,
        "password_hash": password_hash,
        "browser_sha256": secrets.sha256(origin.browser).hex(),
        "following": following,
    }


def _is_of(sign_up: SignUp, origin: RequestOrigin) -> bool:
    return hmac.compare_digest(sign_up.browser_sha256, secrets.sha256(origin.browser))


def _dead() -> LinkIsDead:
    return LinkIsDead(
        "It was used before, is older than two days, or another link to this address was used or "
        "sent since. Log in, or sign up again."
    )
