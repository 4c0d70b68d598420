"""Delivers mails: over SMTP, or on one machine into a folder."""

import asyncio
import smtplib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Final

from auth_service.domain.site.mails import Mail
from servicekit.errors import Unavailable
from servicekit.observability import logs

_PAUSES: Final = (2.0, 10.0, 60.0)
_TIMEOUT_SECONDS: Final = 20.0
_MAX_WAITING: Final = 1_000
_MAX_NAME_BYTES: Final = 200

POLICY: Final = policy.SMTPUTF8
"""Headers take addresses of any script as they are (RFC 6532)."""

log = logs.get(__name__)


def message(mail: Mail, sender: str) -> EmailMessage:
    """The mail in the form of RFC 5322."""
    built = EmailMessage(policy=POLICY)
    built["From"], built["To"], built["Subject"] = sender, mail.to, mail.subject
    built["Auto-Submitted"] = "auto-generated"
    built.set_content(mail.text)
    return built


@dataclass(frozen=True, slots=True)
class FolderMailer:
    """Writes each mail to a file that only its owner can read, named so that the newest is last."""

    folder: Path
    sender: str

    def check(self) -> None:
        """Mails can be kept."""

    def post(self, mail: Mail) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f} {_file_name(mail.to)}.eml"
        unfinished = path.with_suffix(".part")
        unfinished.touch(mode=0o600)
        unfinished.write_bytes(message(mail, self.sender).as_bytes())
        unfinished.rename(path)


def _file_name(address: str) -> str:
    """The address, cut where a file system would not take so much."""
    return address.replace("/", "_").encode()[:_MAX_NAME_BYTES].decode(errors="ignore")


@dataclass(slots=True)
class SmtpMailer:
    """Sends in the background and tries again; what cannot be sent in the end is logged."""

    sender: str
    connect: Callable[[], smtplib.SMTP]
    _under_way: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def check(self) -> None:
        """Mails can be sent."""

    def post(self, mail: Mail) -> None:
        if len(self._under_way) >= _MAX_WAITING:
            raise Unavailable("Mails cannot be sent now. Try again later.", retry_after=60)
        task = asyncio.create_task(self._deliver(message(mail, self.sender)))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _deliver(self, built: EmailMessage) -> None:
        for pause in (*_PAUSES, None):
            try:
                await asyncio.to_thread(self._send, built)
            except (smtplib.SMTPException, OSError) as error:
                log.warning("mail_not_sent", subject=built["Subject"], error=str(error))
                if pause is None or isinstance(error, smtplib.SMTPRecipientsRefused):
                    return
                await asyncio.sleep(pause)
            else:
                return

    def _send(self, built: EmailMessage) -> None:
        with self.connect() as server:
            server.send_message(built)


class NoMailer:
    """Says that this installation cannot send mails."""

    def post(self, mail: Mail) -> None:  # noqa: ARG002
        self.check()

    def check(self) -> None:
        raise Unavailable(
            "This installation cannot send mails yet. Ask its operator for an account.",
            "MAIL_NOT_CONFIGURED",
        )


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server. `security` is starttls, tls or none."""

    host: str
    port: int
    security: str
    username: str
    password: str

    def connect(self) -> smtplib.SMTP:
        """A connection, logged in when there is a user."""
        opening = smtplib.SMTP_SSL if self.security == "tls" else smtplib.SMTP
        server = opening(self.host, self.port, timeout=_TIMEOUT_SECONDS)
        if self.security == "starttls":
            server.starttls()
        if self.username:
            server.login(self.username, self.password)
        return server
