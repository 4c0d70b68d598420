"""Deliver mails over SMTP, or into a folder on a single machine."""

import asyncio
import smtplib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr
from pathlib import Path
from typing import Final

from auth_service.domain.site.mail_outbox import DeliveryError
from auth_service.domain.site.mails import Mail, OutboxStore
from servicekit.errors import Unavailable

_PERMANENT: Final = 500
_MAX_NAME_BYTES: Final = 200
_MAX_LINE_BYTES: Final = 998
"""Of a line without its end (RFC 5322 section 2.1.1)."""
_MAX_READ: Final = 20
_SENDERS: Final = ThreadPoolExecutor(8, "mail")
"""A separate pool, so that an unresponsive mail server delays no login: passwords are hashed in the
loop's own threads."""

POLICY: Final = policy.SMTPUTF8.clone(max_line_length=_MAX_LINE_BYTES)
"""Allows addresses of any script in headers (RFC 6532), and leaves long links in them whole: the default
length of lines, 78, makes encoded words of them, which no mail program follows."""


def render(mail: Mail, sender: str, mail_id: str = "") -> EmailMessage:
    """Return the mail as an RFC 5322 message; its Message-ID has the mail's id, a random one if it has none."""
    message = EmailMessage(policy=POLICY)
    message["From"], message["To"], message["Subject"] = sender, mail.to, mail.subject
    message["Date"] = datetime.now(UTC)
    domain = parseaddr(sender)[1].rpartition("@")[2]
    message["Message-ID"] = (
        f"<{mail_id}@{domain}>" if mail_id else make_msgid(domain=domain or None)
    )
    message["Auto-Submitted"] = "auto-generated"
    if mail.unsubscribe_url:
        message["List-Unsubscribe"] = f"<{mail.unsubscribe_url}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    # Links stay whole for whoever reads the file: quoted-printable breaks and rewrites long lines.
    lines = mail.text.encode().splitlines()
    is_short = all(len(line) <= _MAX_LINE_BYTES for line in lines)
    message.set_content(mail.text, cte="8bit" if is_short else "quoted-printable")
    return message


@dataclass(frozen=True, slots=True)
class FolderMailer:
    """Write each mail to a file that only its owner can read; names sort by time."""

    folder: Path
    sender: str

    def check(self) -> None:
        """Do nothing: a folder always accepts mails."""

    async def post(self, store: OutboxStore, mail: Mail) -> None:  # noqa: ARG002 - the port's
        self.write(mail)

    def write(self, mail: Mail) -> None:
        """Write a mail to its file."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f} {_file_name(mail.to)}.eml"
        unfinished = path.with_suffix(".part")
        unfinished.touch(mode=0o600)
        unfinished.write_bytes(render(mail, self.sender).as_bytes())
        unfinished.rename(path)

    def newest(self, address: str) -> Sequence[Mail]:
        """Return mails to an address, the newest first."""
        ending = f" {_file_name(address)}.eml"
        paths = [path for path in self.folder.glob("*.eml") if path.name.endswith(ending)]
        return [_parsed(path) for path in sorted(paths, reverse=True)[:_MAX_READ]]


def _parsed(path: Path) -> Mail:
    message = message_from_bytes(path.read_bytes(), EmailMessage, policy=POLICY)
    return Mail(message["To"], message["Subject"], message.get_content().replace("\r\n", "\n"))


def _file_name(address: str) -> str:
    """Return the address as a file name, cut to the length that file systems accept."""
    return address.replace("/", "_").encode()[:_MAX_NAME_BYTES].decode(errors="ignore")


@dataclass(frozen=True, slots=True)
class SmtpDelivery:
    """Hand mails to a mail server, in threads of their own."""

    sender: str
    send: Callable[[EmailMessage], None]

    async def deliver(self, mail: Mail, mail_id: str) -> None:
        message = render(mail, self.sender, mail_id)
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(_SENDERS, self.send, message)
        except (smtplib.SMTPException, OSError) as error:
            raise DeliveryError(str(error), is_final=_is_final(error)) from error


def _is_final(error: Exception) -> bool:
    """Return whether the server will never take the mail (RFC 5321 section 4.2.1)."""
    if not isinstance(error, smtplib.SMTPRecipientsRefused):
        return False
    return all(code >= _PERMANENT for code, _ in error.recipients.values())


class NoMailer:
    """Send nothing: this installation cannot send mails. What requires one is refused."""

    async def post(self, store: OutboxStore, mail: Mail) -> None:
        """Do nothing: word of what was done is all that gets here."""

    def check(self) -> None:
        raise Unavailable(
            "This installation cannot send mails yet. Ask its operator for an account.",
            "MAIL_NOT_CONFIGURED",
        )
