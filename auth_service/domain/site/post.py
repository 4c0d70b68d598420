"""Mails to an address that a request has named: how many, and where their links lead."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from auth_service.domain.ports import Throttle
from auth_service.domain.site.mails import Mail, Mailer
from auth_service.domain.throttling import Limit

_ASKED: Final = Limit("mail", 5, 3_600)
_INBOX: Final = Limit("inbox", 20, 3_600)


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of this site for mails. They come from the settings, never from a request."""

    site_url: str

    def to(self, path: str, **query: str) -> str:
        kept = {name: value for name, value in query.items() if value}
        return f"{self.site_url}{path}" + (f"?{urlencode(kept)}" if kept else "")


@dataclass(frozen=True, slots=True)
class Post:
    """Sends what requests make the site mail.

    A network gets few mails sent to an address and is told so. What an inbox gets of all networks
    together is bounded, too, and nobody is told: the links that it has got go on working, so that
    its owner is not locked out by others.
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

    async def has_room(self, address: str) -> bool:
        """Counts a mail; False when the inbox has got enough of them in this hour."""
        return await _INBOX.wait(self.throttle, address) is None

    def send(self, mail: Mail) -> None:
        """Hands the mail over for delivery."""
        self.mailer.post(mail)
