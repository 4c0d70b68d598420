"""Wire mails: the outbox of a mail server, or the folder of a development machine."""

from pathlib import Path
from urllib.parse import urlsplit

from auth_service.clients.mail_server import MailServer, trusted_authorities
from auth_service.clients.mailers import FolderMailer, NoMailer, SmtpDelivery
from auth_service.domain.encryption import fernet
from auth_service.domain.ports import Clock
from auth_service.domain.site.local_mails import LocalMails
from auth_service.domain.site.mail_outbox import MailOutbox
from auth_service.domain.site.mails import Mailer
from auth_service.domain.site.ports import SiteTransactions
from auth_service.settings import AuthSettings
from servicekit.observability import logs
from servicekit.process.addresses import is_loopback

log = logs.get(__name__)


def mailer_of(settings: AuthSettings, open_site: SiteTransactions) -> Mailer:
    """Return the outbox of the mail server when one is configured, else the folder's mailer, else none."""
    if settings.smtp_host:
        return MailOutbox(
            open_site,
            SmtpDelivery(settings.mail_from, mail_server_of(settings).send),
            fernet("mail-outbox", settings.token_secret.get_secret_value()),
            _report_mail,
        )
    if settings.mail_folder:
        return FolderMailer(Path(settings.mail_folder), settings.mail_from)
    return NoMailer()


def local_mails_of(
    settings: AuthSettings, open_site: SiteTransactions, mailer: Mailer, clock: Clock
) -> LocalMails | None:
    """Return the view of this machine's mails; None where mails are sent, or the site is for others."""
    if not isinstance(mailer, FolderMailer):
        return None
    if not is_loopback(urlsplit(settings.site_url).hostname or ""):
        return None
    return LocalMails(open_site, mailer, clock)


def mail_server_of(settings: AuthSettings) -> MailServer:
    """Return the client of the mail server that the settings name."""
    return MailServer(
        settings.smtp_host,
        settings.smtp_port,
        settings.smtp_security,
        settings.smtp_username,
        settings.smtp_password.get_secret_value(),
        trusted_authorities(settings.smtp_ca),
    )


def _report_mail(event: str, subject: str, error: str) -> None:
    log.warning(event, subject=subject, error=error)
