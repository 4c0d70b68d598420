"""Mails to an address that a request has named: how many, and where their links lead."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from auth_service.domain.ports import Throttle
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site.mails import Mail, Mailer
from auth_service.domain.site.ports import SiteStore

_HOUR: Final = timedelta(hours=1)
_REQUESTED: Final = RateLimit("mail", 5, 3_600)
_REQUESTED_BY_DEVICE: Final = RateLimit("mail-device", 5, 3_600)
_WORD_OF_AN_ACCOUNT: Final = RateLimit("mail-registered", 1, 86_400)
_MAX_RESETS: Final = 20
_MAX_CONFIRMATIONS: Final = 20


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of this site for mails. They come from the settings, never from a request."""

    site_url: str

    def to(self, path: str, **query: str) -> str:
        present = {name: value for name, value in query.items() if value}
        return f"{self.site_url}{path}" + (f"?{urlencode(present)}" if present else "")


@dataclass(frozen=True, slots=True)
class LimitedMailer:
    """Sends what requests make the site mail.

    A network gets few mails sent to an address and is told so. What an inbox gets of all networks
    together is bounded, too, for each kind of mail, and nobody is told. That locks no owner out: a
    mailed link is good for whoever reads the inbox, whoever has asked for it, and links are counted
    where they are stored. No mail is sent only while links of the past hour work, and links that
    are deleted count no more.
    """

    mailer: Mailer
    throttle: Throttle
    links: Links

    async def check(self, address: str, network: str) -> None:
        """Count a request for a mail, before anything is known of the address.

        Raises:
            Unavailable: This installation sends no mails.
            TooManyAttempts: The network has asked too often for mails to the address.
        """
        self.mailer.check()
        await _REQUESTED.check(self.throttle, address, network)

    async def check_device(self, address: str, secret: str) -> None:
        """Count a request for a mail from a device that is known to the account of the address.

        Raises:
            Unavailable: This installation sends no mails.
            TooManyAttempts: The device has asked too often.
        """
        self.mailer.check()
        await _REQUESTED_BY_DEVICE.check(self.throttle, address, secret)

    async def allows_reset(self, store: SiteStore, account_id: str, now: datetime) -> bool:
        """Return whether fewer links to choose a password work than an inbox may have.

        The account is locked until the transaction ends, so that replicas count together.
        """
        await store.lock_account(account_id)
        return await store.count_mail_tokens(account_id, "reset", now) < _MAX_RESETS

    async def allows_account_notice(self, address: str) -> bool:
        """Count a mail that there is an account already; False when today's has been sent."""
        return await _WORD_OF_AN_ACCOUNT.wait(self.throttle, address) is None

    async def allows_confirmation(self, store: SiteStore, address: str, now: datetime) -> bool:
        """Return whether fewer links to confirm were mailed in the past hour than an inbox may get.

        The address is locked until the transaction ends, so that replicas count together.
        """
        await store.lock_address(address)
        return await store.count_sign_up_links(address, now - _HOUR) < _MAX_CONFIRMATIONS

    async def send(self, store: SiteStore, mail: Mail) -> None:
        """Hand the mail over for delivery, with the transaction."""
        await self.mailer.post(store, mail)
