"""The mail server's certificate, and the time that a delivery may take."""

import asyncio
import smtplib
import ssl

import pytest
import trustme

from auth_service.clients.mail_server import MailServer, trusted_authorities
from auth_service.clients.mailers import render
from auth_service.domain.site.mails import notice
from tests.fakes.mail_server import FakeMailServer, mail_server

TRUSTED = trustme.CA()
MESSAGE = render(notice("you@example.com", "Something happened"), "us@example.com")


def certified(certificate: trustme.LeafCert) -> ssl.SSLContext:
    """Return the TLS context of a server with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType]
    return context


def self_signed() -> ssl.SSLContext:
    """Return the TLS context of a server whose certificate nobody else has signed."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with trustme.Blob(
        authority.private_key_pem.bytes() + authority.cert_pem.bytes()
    ).tempfile() as path:
        context.load_cert_chain(path)
    return context


async def send(server: FakeMailServer, security: str) -> None:
    authorities = trusted_authorities(TRUSTED.cert_pem.bytes().decode())
    client = MailServer("127.0.0.1", server.port, security, "user", "secret", authorities)
    await asyncio.to_thread(client.send, MESSAGE)


@pytest.mark.parametrize("security", ["tls", "starttls"])
@pytest.mark.parametrize("kind", ["of another name", "of an unknown authority", "self-signed"])
async def test_a_server_with_a_bad_certificate_gets_neither_password_nor_mail(
    security: str, kind: str
) -> None:
    contexts = {
        "of another name": lambda: certified(TRUSTED.issue_cert("mail.example")),
        "of an unknown authority": lambda: certified(trustme.CA().issue_cert("127.0.0.1")),
        "self-signed": self_signed,
    }
    async with mail_server(security, contexts[kind]()) as server:
        with pytest.raises(ssl.SSLCertVerificationError):
            await send(server, security)
    assert not {b"AUTH", b"MAIL", b"DATA"} & set(server.commands)


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_a_server_with_a_good_certificate_gets_the_mail(security: str) -> None:
    async with mail_server(security, certified(TRUSTED.issue_cert("127.0.0.1"))) as server:
        await send(server, security)
    assert b"AUTH" in server.commands
    assert b"Something happened" in server.mails[0]


async def test_a_server_that_offers_no_tls_gets_no_password() -> None:
    async with mail_server("starttls", None, offers_starttls=False) as server:
        with pytest.raises(smtplib.SMTPNotSupportedError):
            await send(server, "starttls")
    assert b"AUTH" not in server.commands


def test_the_systems_authorities_are_trusted_where_none_are_configured() -> None:
    context = trusted_authorities("")
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


async def test_a_server_that_never_ends_its_response_is_left_at_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("auth_service.clients.mail_server._DELIVERY_SECONDS", 0.3)
    left = asyncio.Event()

    async def greet_forever(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not writer.is_closing():
                writer.write(b"220-")
                await asyncio.sleep(0.02)
                writer.write(b"wait\r\n")
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
            left.set()

    server = await asyncio.start_server(greet_forever, "127.0.0.1", 0)
    client = MailServer("127.0.0.1", server.sockets[0].getsockname()[1], "none", "", "")
    try:
        with pytest.raises((OSError, smtplib.SMTPException)):
            await asyncio.wait_for(asyncio.to_thread(client.send, MESSAGE), 15)
        await asyncio.wait_for(left.wait(), 15)
    finally:
        server.close()
