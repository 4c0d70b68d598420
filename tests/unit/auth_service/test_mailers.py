"""Deliveries of mails beside the other work of the service."""

import asyncio
import smtplib
import threading
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest

from auth_service.clients.mailers import FolderMailer, NoMailer, SmtpDelivery, render
from auth_service.domain.passwords import Passwords
from auth_service.domain.site.mail_outbox import DeliveryError
from auth_service.domain.site.mails import Mail, confirmation, notice

_MAILS = 64
"""More than the event loop has threads."""


async def test_unresponsive_mail_servers_delay_no_login() -> None:
    released, started, sent = threading.Event(), threading.Event(), threading.Semaphore(0)

    def hang(_: EmailMessage) -> None:
        started.set()
        released.wait(60)
        sent.release()

    delivery, passwords = SmtpDelivery("us@example.com", hang), Passwords()
    try:
        mails = (notice(f"p{n}@example.com", "Something happened") for n in range(_MAILS))
        deliveries = asyncio.gather(*(delivery.deliver(mail, "mail") for mail in mails))
        while not started.is_set():  # noqa: ASYNC110 - a thread sets it
            await asyncio.sleep(0.01)
        async with asyncio.timeout(20):
            stored = await passwords.hash("a good long passphrase")
            assert await passwords.matches("a good long passphrase", stored)
        assert not sent.acquire(blocking=False), "the mails hang until the login is done"
    finally:
        released.set()
    async with asyncio.timeout(20):
        await deliveries
    assert all(sent.acquire(blocking=False) for _ in range(_MAILS))


def _refusing(*codes: int) -> SmtpDelivery:
    def send(_: EmailMessage) -> None:
        refused = {f"p{n}@example.com": (code, b"no") for n, code in enumerate(codes)}
        raise smtplib.SMTPRecipientsRefused(refused)

    return SmtpDelivery("us@example.com", send)


@pytest.mark.parametrize(
    ("codes", "is_final"), [((550,), True), ((450,), False), ((550, 450), False)]
)
async def test_a_mail_is_given_up_at_once_only_where_the_server_will_never_take_it(
    codes: tuple[int, ...], *, is_final: bool
) -> None:
    with pytest.raises(DeliveryError) as refused:
        await _refusing(*codes).deliver(notice("p0@example.com", "Something happened"), "mail")
    assert refused.value.is_final == is_final


async def test_without_a_mail_server_word_of_what_was_done_is_left_out() -> None:
    store: Any = None
    await NoMailer().post(store, notice("a@example.com", "An API key was made: script"))


_LINK = "https://site.example/confirm?token=" + "a1-_=&" * 20


def test_a_link_in_the_file_of_a_mail_is_whole(tmp_path: Path) -> None:
    mailer = FolderMailer(tmp_path, "Wir <us@example.com>")
    mailer.write(confirmation("jörg@example.com", _LINK))
    (path,) = tmp_path.glob("*.eml")
    lines = path.read_bytes().decode().splitlines()
    assert _LINK in lines
    assert "Content-Transfer-Encoding: 8bit" in lines


def test_a_mail_is_utf8_as_it_is() -> None:
    mail = render(Mail("a@example.com", "Grüße", "Schöne Grüße – für dich.\n"), "us@example.com")
    assert "Schöne Grüße – für dich.".encode() in mail.as_bytes()
    assert (mail["Content-Transfer-Encoding"], mail.get_content_charset()) == ("8bit", "utf-8")


def test_a_line_that_mail_servers_would_break_is_encoded() -> None:
    mail = render(
        Mail("a@example.com", "Long", f"https://x.example/{'a' * 1000}\n"), "us@x.example"
    )
    assert max(map(len, mail.as_bytes().splitlines())) <= 998
    assert "a" * 1000 in mail.get_content()


def test_the_newest_mails_to_an_address_are_read_back(tmp_path: Path) -> None:
    mailer = FolderMailer(tmp_path, "us@example.com")
    sent = [confirmation("a@example.com", f"{_LINK}{number}") for number in range(3)]
    for mail in sent:
        mailer.write(mail)
    mailer.write(confirmation("b.a@example.com", _LINK))
    assert mailer.newest("a@example.com") == sent[::-1]


def test_a_mail_has_its_date_and_an_id_of_the_senders_domain() -> None:
    mail = Mail("a@example.com", "Hello", "Hello.\n")
    first, second = (render(mail, "Us <us@mail.example>") for _ in range(2))
    age = datetime.now(UTC) - parsedate_to_datetime(first["Date"])
    assert abs(age) < timedelta(minutes=1)
    assert first["Message-ID"].endswith("@mail.example>")
    assert first["Message-ID"] != second["Message-ID"]


def test_the_link_that_unsubscribes_is_in_its_header_as_it_is() -> None:
    url = f"https://site.example/alerts/channels/chan_{'a' * 32}/unsubscribe?token={'b' * 43}"
    mail = render(Mail("a@example.com", "News", "Hello.\n", unsubscribe_url=url), "us@example.com")
    assert f"List-Unsubscribe: <{url}>".encode() in mail.as_bytes().splitlines()
