"""Mails of this machine, shown on the site where people have no mail program for a folder.

A mailed link shows that somebody reads an inbox. Where the site and its folder of mails are on one
machine, for its owner alone, a browser is shown the mail of the sign-up that it has begun, and no other:
a link to choose a password stays in the folder, which only the machine's user can read.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from auth_service.domain.oauth import secrets
from auth_service.domain.ports import Clock
from auth_service.domain.site.mails import Mail
from auth_service.domain.site.ports import SignUp, SiteTransactions
from auth_service.domain.site.request_origin import RequestOrigin

_WAIT_SECONDS: Final = 2.5
"""Time after which no mail is waited for: less than a page may take, however slow the database is."""
_PAUSE_SECONDS: Final = 0.1
_LINK: Final = "/confirm?token="


class MailFolder(Protocol):
    """The folder that mails are written to."""

    def newest(self, address: str) -> Sequence[Mail]:
        """Return mails to an address, the newest first. Blocking."""
        ...


@dataclass(frozen=True, slots=True)
class LocalMails:
    """The use case."""

    transactions: SiteTransactions
    folder: MailFolder
    clock: Clock

    async def of_sign_up(self, origin: RequestOrigin) -> Mail | None:
        """Return the mail of this browser's newest sign-up; None if none comes within some seconds."""
        deadline = time.monotonic() + _WAIT_SECONDS
        browser = secrets.sha256(origin.browser)
        mail = await self._mail(browser)
        while mail is None and time.monotonic() < deadline:
            await asyncio.sleep(_PAUSE_SECONDS)
            mail = await self._mail(browser)
        return mail

    async def _mail(self, browser: bytes) -> Mail | None:
        async with self.transactions() as store:
            sign_up = await store.newest_sign_up_of_browser(browser, self.clock())
        if sign_up is None:
            return None
        for mail in await asyncio.to_thread(self.folder.newest, sign_up.email):
            linked = await self._linked(mail)
            if linked is not None and linked.browser_sha256 == browser:
                return mail
        return None

    async def _linked(self, mail: Mail) -> SignUp | None:
        """Return the sign-up that the link of a mail confirms."""
        token = mail.text.partition(_LINK)[2].split("\n", 1)[0].strip()
        async with self.transactions() as store:
            return await store.sign_up_of_token(secrets.sha256(token), self.clock())
