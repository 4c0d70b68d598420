"""Mails to an address that a request has named: how many, and where their links lead."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from auth_service.domain.ports import Throttle
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site.mails import Mail, Mailer

_ASKED: Final = RateLimit("mail", 5, 3_600)
_ASKED_BY_A_DEVICE: Final = RateLimit("mail-device", 5, 3_600)
_RESETS: Final = RateLimit("mail-reset", 20, 3_600)
_WORD_OF_AN_ACCOUNT: Final = RateLimit("mail-registered", 1, 86_400)
_CONFIRMATIONS: Final = RateLimit("mail-confirmation", 20, 3_600)
_FIRST_OF_A_SITE: Final = RateLimit("mail-confirmation-site", 1, 3_600)
_FIRST_OF_ALL_SITES: Final = RateLimit("mail-confirmation-sites", 100, 3_600)


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of this site for mails. They come from the settings, never from a request."""

    site_url: str

    def to(self, path: str, **query: str) -> str:
        kept = {name: value for name, value in query.items() if value}
        return f"{self.site_url}{path}" + (f"?{urlencode(kept)}" if kept else "")


@dataclass(frozen=True, slots=True)
class LimitedMailer:
    """Sends what requests make the site mail.

    A network gets few mails sent to an address and is told so. What an inbox gets of all networks
    together is bounded, too, by a count for each kind of mail, and nobody is told. That locks no
    owner out: links to choose a password work for as long as their count lasts, a known device has
    a count of its own, and the first sign-up from each site is mailed whatever others have used.
    """

    mailer: Mailer
    throttle: Throttle
    links: Links

    async def check(self, address: str, network: str) -> None:
        """Counts a request for a mail, before anything is known of the address.

        Raises:
            Unavailable: This installation sends no mails.
            TooManyAttempts: The network has asked too often for mails to the address.
        """
        self.mailer.check()
        await _ASKED.check(self.throttle, address, network)

    async def check_device(self, address: str, secret: str) -> None:
        """Counts a request for a mail from a device that is known to the account of the address.

        Raises:
            Unavailable: This installation sends no mails.
            TooManyAttempts: The device has asked too often.
        """
        self.mailer.check()
        await _ASKED_BY_A_DEVICE.check(self.throttle, address, secret)

    async def allows_reset(self, address: str) -> bool:
        """Counts a link to choose a password; False when the inbox has enough that work."""
        return await _RESETS.wait(self.throttle, address) is None

    async def forget_resets(self, address: str) -> None:
        """Begins the count of these links anew: those of before are dead."""
        await _RESETS.forget(self.throttle, address)

    async def allows_account_notice(self, address: str) -> bool:
        """Counts a mail that there is an account already; False when today's has been sent."""
        return await _WORD_OF_AN_ACCOUNT.wait(self.throttle, address) is None

    async def allows_confirmation(self, address: str, site: str) -> bool:
        """Counts a link to confirm that was asked for from a site (see `site_of`).

        Unlike links to choose a password, it is of no use to others than who has signed up.
        """
        is_first = site and await _FIRST_OF_A_SITE.wait(self.throttle, address, site) is None
        if is_first and await _FIRST_OF_ALL_SITES.wait(self.throttle, address) is None:
            return True
        return await _CONFIRMATIONS.wait(self.throttle, address) is None

    def send(self, mail: Mail) -> None:
        """Hands the mail over for delivery."""
        self.mailer.post(mail)
