"""Forgotten passwords: a mailed link to choose one anew, and what ends with the old one.

What is answered never tells whether an address has an account (OWASP ASVS 5.0, 6.3.8).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from auth_service.domain.addresses import normalised_email
from auth_service.domain.oauth import secrets
from auth_service.domain.passwords import Passwords
from auth_service.domain.ports import UNKNOWN, AuditEvent, Clock, RevocationPublisher, Throttle
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import mails
from auth_service.domain.site.access_revocation import end_access
from auth_service.domain.site.deferred_work import DeferredWorkQueue, Handler, Payload
from auth_service.domain.site.limited_mailer import LimitedMailer, Links
from auth_service.domain.site.login_attempts import LoginAttempts
from auth_service.domain.site.mails import LIFETIMES
from auth_service.domain.site.ports import SiteStore, SiteTransactions
from auth_service.domain.site.request_origin import RequestOrigin

_RESET: Final = "reset"
_RESETS: Final = RateLimit("reset", 30, 3_600)


@dataclass(frozen=True, slots=True)
class Recovery:
    """Mail links to choose a new password, and set it by one."""

    transactions: SiteTransactions
    passwords: Passwords
    limited_mailer: LimitedMailer
    deferred: DeferredWorkQueue
    feed: RevocationPublisher
    throttle: Throttle
    clock: Clock

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers of deferred work, by its kind."""
        return {_RESET: self._mail_link}

    async def request_link(self, email: str, origin: RequestOrigin) -> None:
        """Mail a link to choose a new password, if there is such an account.

        Raises:
            InvalidInput: It is no address.
            TooManyAttempts: Too many of this device, or, where it is not known to the account, of
                its network.
        """
        address = normalised_email(email)
        payload = {"email": address, "address": origin.address}
        device = origin.device.secret_for(address)
        if device is not None:
            await self.limited_mailer.check_device(address, device)
            payload["known_device"] = "yes"
        else:
            await _RESETS.check(self.throttle, origin.network)
            await self.limited_mailer.check(address, origin.network)
        await self.deferred.put(_RESET, payload)

    async def is_open(self, token: str) -> bool:
        """Return whether a link's token still allows to choose a password."""
        async with self.transactions() as store:
            found = await store.mail_token_account(secrets.sha256(token), "reset", self.clock())
        return found is not None

    async def reset(
        self, token: str, password: str, *, revoke_keys: bool, remove_passkeys: bool
    ) -> bool:
        """Set the password; end sessions, applications and, when asked, API keys and passkeys.

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
            await store.lock_account(account.account_id)  # of two links used at once, one works
            if await store.consume_mail_token(digest, "reset", now) is None:
                return False
            await store.change_password(account.account_id, hashed)
            if account.email_confirmed_at is None:
                await store.confirm_email(account.account_id, now)
            await store.end_other_sessions(account.account_id, None)
            ended = await end_access(store, account.account_id, now, keys=revoke_keys)
            if remove_passkeys:
                await self._remove_passkeys(store, account.account_id)
            await store.record_event(
                AuditEvent(now, "password_reset", account.account_id, "owner", "")
            )
            await self.limited_mailer.send(
                store, mails.notice(account.email, "Your password was changed")
            )
        await LoginAttempts(self.throttle).forget_all(account.email)
        await ended.announce(self.feed)
        return True

    async def _remove_passkeys(self, store: SiteStore, account_id: str) -> None:
        """Remove them all: somebody who knew the password may have added one."""
        for passkey in await store.passkeys.of_account(account_id):
            await store.passkeys.remove(account_id, passkey.passkey_id)
            await store.record_event(
                AuditEvent(self.clock(), "passkey_removed", account_id, "owner", passkey.passkey_id)
            )

    async def _mail_link(self, store: SiteStore, payload: Payload) -> None:
        address, now = payload["email"], self.clock()
        account = await store.account_by_email(address)
        if account is None or account.disabled_at is not None:
            return
        is_known_device = "known_device" in payload
        if not is_known_device and not await self.limited_mailer.allows_reset(
            store, account.account_id, now
        ):
            return
        link = await new_reset_link(store, self.limited_mailer.links, account.account_id, now)
        await self.limited_mailer.send(store, mails.password_reset(address, link))
        detail = f"from {payload['address']}"
        await store.record_event(
            AuditEvent(now, "reset_asked", account.account_id, UNKNOWN, detail)
        )


async def new_reset_link(store: SiteStore, links: Links, account_id: str, now: datetime) -> str:
    """Store a new token for a link to choose a password; return the link."""
    token, expires_at = secrets.new_secret(), now + LIFETIMES["reset"]
    await store.add_mail_token(secrets.sha256(token), account_id, "reset", expires_at)
    return links.to("/reset", token=token)
