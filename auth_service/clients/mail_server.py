"""A connection to an SMTP server: its certificate is checked, and its time is bounded as a whole."""

import smtplib
import socket
import ssl
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any, Final

_RESPONSE_SECONDS: Final = 20.0
_DELIVERY_SECONDS: Final = 30.0
"""Limit of a delivery from the first packet to the last: a server that sends a byte at a time is in
time for each response, and would never end."""
_CLOSING_SECONDS: Final = 0.5


def trusted_authorities(certificates: str) -> ssl.SSLContext:
    """Return a TLS context that trusts these authorities, or the system's where none are passed.

    Raises:
        ssl.SSLError: The text holds no certificates in PEM.
    """
    return ssl.create_default_context(cadata=certificates or None)


class _Connection(smtplib.SMTP):
    """A connection that is closed when its delivery takes too long."""

    _ended: threading.Event

    def connect(
        self, host: str = "localhost", port: int = 0, source_address: Any = None
    ) -> tuple[int, bytes]:
        self._ended = threading.Event()
        threading.Thread(target=self._close_late, name="mail-deadline", daemon=True).start()
        try:
            return super().connect(host, port, source_address)
        except BaseException:
            self._ended.set()
            raise

    def close(self) -> None:
        self._ended.set()
        super().close()

    def _close_late(self) -> None:
        """Close the socket at the deadline; TLS may replace it, so that once is not enough."""
        pause = _DELIVERY_SECONDS
        while not self._ended.wait(pause):
            pause = _CLOSING_SECONDS
            current = self.sock
            if current is not None:
                with suppress(OSError):
                    socket.socket.shutdown(current, socket.SHUT_RDWR)


class _TlsConnection(_Connection, smtplib.SMTP_SSL):
    """A connection with TLS from its first byte."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server. `security` is starttls, tls or none."""

    host: str
    port: int
    security: str
    username: str
    password: str
    authorities: ssl.SSLContext = field(default_factory=lambda: trusted_authorities(""))

    def send(self, message: EmailMessage) -> None:
        """Connect, with TLS as configured, log in when there is a user name, and send a mail.

        Raises:
            OSError: The server cannot be reached, or its certificate is not good for its name.
            smtplib.SMTPException: The server refuses the mail or the login, or takes too long.
        """
        with self._session() as server:
            body = ("BODY=8BITMIME",) if server.has_extn("8bitmime") else ()
            server.send_message(message, mail_options=body)

    def problem(self) -> str:
        """Connect and log in as for a mail, and send none; return what goes wrong, empty if nothing does."""
        try:
            with self._session() as server:
                server.noop()
        except (OSError, smtplib.SMTPException) as error:
            return f"{self.host}:{self.port}: {error}"
        return ""

    @contextmanager
    def _session(self) -> Generator[smtplib.SMTP]:
        server = self._connect()
        try:
            if self.security == "starttls":
                server.starttls(context=self.authorities)
            if self.username:
                server.login(self.username, self.password)
            server.ehlo_or_helo_if_needed()
            yield server
            with suppress(smtplib.SMTPException):
                server.quit()
        finally:
            server.close()

    def _connect(self) -> smtplib.SMTP:
        if self.security == "tls":
            return _TlsConnection(
                self.host, self.port, timeout=_RESPONSE_SECONDS, context=self.authorities
            )
        return _Connection(self.host, self.port, timeout=_RESPONSE_SECONDS)
