"""Sign-up: an account begins when its address is confirmed, by who has signed up with it.

The mailed link belongs to one sign-up, and others of the same address change nothing of it. The
link shows that somebody reads the inbox; that they are who has signed up is shown by the browser
or by the password. So nobody gets an account with a password that somebody else chose.

What is answered never tells whether an address has an account: the mail does, to its owner alone
(OWASP ASVS 5.0, 6.3.8).
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

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
from servicekit.errors import NotFound, Unauthenticated

CONFIRMATION: Final = "confirmation"
"""The work of mailing the link of a sign-up again."""

_SIGN_UP: Final = "sign_up"
_SIGN_UPS: Final = RateLimit("sign-up", 20, 3_600)
_CONFIRMATIONS: Final = RateLimit("confirmation", 10, 900)


class LinkIsDead(NotFound):
    default_reason = "LINK_IS_DEAD"


class PasswordNeeded(Unauthenticated):
    default_reason = "PASSWORD_NEEDED"


@dataclass(frozen=True, slots=True)
class SignUps:
    """The use cases."""

    transactions: SiteTransactions
    passwords: Passwords
    post: LimitedMailer
    deferred: DeferredWorkQueue
    deleted_accounts: DeletedAccounts
    throttle: Throttle
    clock: Clock

    def handlers(self) -> Mapping[str, Handler]:
        """What is done after the answers."""
        return {_SIGN_UP: self._begin, CONFIRMATION: self._mail_again}

    async def sign_up(
        self, email: str, password: str, following: str, origin: RequestOrigin
    ) -> None:
        """Mails a link that opens an account, or word that there is one.

        Raises:
            InvalidInput: The address or password is not possible.
            TooManyAttempts: Too many of this network.
        """
        await _SIGN_UPS.check(self.throttle, origin.network)
        address = normalised_email(email)
        hashed = await self.passwords.hash(password, address)
        await self.post.check(address, origin.network)
        payload = {
            "email": address,
            "password_hash": hashed,
            "browser_sha256": secrets.sha256(origin.browser).hex(),
            "following": following,
            "site": origin.site,
        }
        await self.deferred.put(_SIGN_UP, payload)

    async def needs_password(self, token: str, origin: RequestOrigin) -> bool:
        """Whether who opens this link has to give the password of the sign-up."""
        async with self.transactions() as store:
            sign_up = await store.sign_up_of_token(secrets.sha256(token), self.clock())
        return sign_up is not None and not _is_of(sign_up, origin)

    async def confirm(self, token: str, password: str, origin: RequestOrigin) -> None:
        """Opens the account that was signed up for; the token and all other sign-ups end.

        Raises:
            LinkIsDead: It was used, is too old, or there is an account of the address.
            PasswordNeeded: The browser is another, and the password is not that of the sign-up.
            TooManyAttempts: Too many passwords were tried with this link.
        """
        digest, now = secrets.sha256(token), self.clock()
        async with self.transactions() as store:
            sign_up = await store.sign_up_of_token(digest, now)
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

    async def _check_password(self, sign_up: SignUp, password: str) -> None:
        if not password:
            raise PasswordNeeded("Give the password that you chose when you signed up.")
        await _CONFIRMATIONS.check(self.throttle, sign_up.sign_up_id)
        if not await self.passwords.matches(password, sign_up.password_hash):
            raise PasswordNeeded("This is not the password of this sign-up.")

    async def _begin(self, store: SiteStore, payload: Payload) -> None:
        address, now = payload["email"], self.clock()
        known = await store.account_by_email(address)
        if known is not None and known.email_confirmed_at is not None:
            if await self.post.allows_account_notice(address):
                link = self.post.links.to("/login", next=payload["following"])
                self.post.send(mails.already_registered(address, link))
            return
        sign_up = SignUp(
            sign_up_id=secrets.new_id("sup"),
            email=address,
            password_hash=payload["password_hash"],
            browser_sha256=bytes.fromhex(payload["browser_sha256"]),
            created_at=now,
            expires_at=now + LIFETIMES["confirm"],
        )
        await store.add_sign_up(sign_up)
        await self._mail(store, sign_up, payload)

    async def _mail_again(self, store: SiteStore, payload: Payload) -> None:
        sign_up = await store.sign_up(payload["sign_up_id"], self.clock())
        if sign_up is not None:
            await self._mail(store, sign_up, payload)

    async def _mail(self, store: SiteStore, sign_up: SignUp, payload: Payload) -> None:
        site = payload.get("site", "")  # which work of an earlier release lacks
        if not await self.post.allows_confirmation(sign_up.email, site):
            return
        token = secrets.new_secret()
        await store.set_sign_up_token(sign_up.sign_up_id, secrets.sha256(token))
        link = self.post.links.to("/confirm", token=token, next=payload["following"])
        self.post.send(mails.confirmation(sign_up.email, link))


def _is_of(sign_up: SignUp, origin: RequestOrigin) -> bool:
    return hmac.compare_digest(sign_up.browser_sha256, secrets.sha256(origin.browser))


def _dead() -> LinkIsDead:
    return LinkIsDead(
        "It was used before, is older than two days, or another link to this address was used or "
        "sent since. Log in, or sign up again."
    )
