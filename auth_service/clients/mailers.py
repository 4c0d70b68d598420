"""Deliver mails over SMTP, or into a folder on a single machine."""

import asyncio
import smtplib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Final

from auth_service.domain.site.mails import Mail
from servicekit.errors import Unavailable
from servicekit.observability import logs

_RETRY_PAUSES: Final = (2.0, 10.0, 60.0)
_MAX_WAITING: Final = 1_000
_MAX_NAME_BYTES: Final = 200
_SENDERS: Final = ThreadPoolExecutor(8, "mail")
"""A separate pool, so that an unresponsive mail server delays no login: passwords are hashed in the
loop's own threads."""

POLICY: Final = policy.SMTPUTF8
"""Allows addresses of any script in headers (RFC 6532)."""

log = logs.get(__name__)


def render(mail: Mail, sender: str) -> EmailMessage:
    """Return the mail as an RFC 5322 message."""
    message = EmailMessage(policy=POLICY)
    message["From"], message["To"], message["Subject"] = sender, mail.to, mail.subject
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    return message


@dataclass(frozen=True, slots=True)
class FolderMailer:
    """Write each mail to a file that only its owner can read; names sort by time."""

    folder: Path
    sender: str

    def check(self) -> None:
        """Do nothing: a folder always accepts mails."""

    def post(self, mail: Mail) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f} {_file_name(mail.to)}.eml"
        unfinished = path.with_suffix(".part")
        unfinished.touch(mode=0o600)
        unfinished.write_bytes(render(mail, self.sender).as_bytes())
        unfinished.rename(path)


def _file_name(address: str) -> str:
    """Return the address as a file name, cut to the length that file systems accept."""
    return address.replace("/", "_").encode()[:_MAX_NAME_BYTES].decode(errors="ignore")


@dataclass(slots=True)
class SmtpMailer:
    """Send in the background, retry, and log the mails that cannot be sent."""

    sender: str
    send: Callable[[EmailMessage], None]
    _deliveries: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def check(self) -> None:
        """Do nothing: an SMTP server is configured."""

    def post(self, mail: Mail) -> None:
        if len(self._deliveries) >= _MAX_WAITING:
            raise Unavailable("Mails cannot be sent now. Try again later.", retry_after=60)
        task = asyncio.create_task(self._deliver(render(mail, self.sender)))
        self._deliveries.add(task)
        task.add_done_callback(self._deliveries.discard)

    async def _deliver(self, message: EmailMessage) -> None:
        loop = asyncio.get_running_loop()
        for pause in (*_RETRY_PAUSES, None):
            try:
                await loop.run_in_executor(_SENDERS, self.send, message)
            except (smtplib.SMTPException, OSError) as error:
                log.warning("mail_not_sent", subject=message["Subject"], error=str(error))
                if pause is None or isinstance(error, smtplib.SMTPRecipientsRefused):
                    return
                await asyncio.sleep(pause)
            else:
                return


class NoMailer:
    """Refuse every mail: this installation cannot send any."""

    def post(self, mail: Mail) -> None:  # noqa: ARG002
        self.check()

    def check(self) -> None:
        raise Unavailable(
            "This installation cannot send mails yet. Ask its operator for an account.",
            "MAIL_NOT_CONFIGURED",
        )
