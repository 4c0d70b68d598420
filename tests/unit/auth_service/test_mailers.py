"""Deliveries of mails beside the other work of the service."""

import asyncio
import threading
from email.message import EmailMessage

from auth_service.clients.mailers import SmtpMailer
from auth_service.domain.passwords import Passwords
from auth_service.domain.site.mails import notice

_MAILS = 64
"""More than the event loop has threads."""


async def test_unresponsive_mail_servers_delay_no_login() -> None:
    released, started, sent = threading.Event(), threading.Event(), threading.Semaphore(0)

    def hang(_: EmailMessage) -> None:
        started.set()
        released.wait(60)
        sent.release()

    mailer, passwords = SmtpMailer("us@example.com", hang), Passwords()
    try:
        for number in range(_MAILS):
            mailer.post(notice(f"p{number}@example.com", "Something happened"))
        while not started.is_set():  # noqa: ASYNC110 - a thread sets it
            await asyncio.sleep(0.01)
        async with asyncio.timeout(20):
            stored = await passwords.hash("a good long passphrase")
            assert await passwords.matches("a good long passphrase", stored)
        assert not sent.acquire(blocking=False), "the mails hang until the login is done"
    finally:
        released.set()
    async with asyncio.timeout(20):
        for _ in range(_MAILS):
            while not sent.acquire(blocking=False):  # noqa: ASYNC110 - a thread releases it
                await asyncio.sleep(0.01)
