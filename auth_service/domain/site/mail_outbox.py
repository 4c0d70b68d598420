"""Mails that wait for the mail server in a table, until it has taken them.

A mail is stored by the transaction that causes it, and deleted after it was handed to the mail server:
whenever the process ends, either the mail is there or whatever caused it is not. A process that is
killed between a delivery and the deletion sends the mail again, with the same Message-ID. Each attempt
is counted before it is made, so that a mail that ends its process cannot do so for ever.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Protocol

from cryptography.fernet import Fernet, InvalidToken

from auth_service.domain.oauth import secrets
from auth_service.domain.site.mails import Mail, OutboxStore, WaitingMail
from auth_service.domain.site.ports import SiteTransactions
from servicekit.errors import ServiceError

_BATCH: Final = 8


class DeliveryError(Exception):
    """The mail server did not take a mail.

    Attributes:
        is_final: It never will.
    """

    def __init__(self, reason: str, *, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final


class Delivery(Protocol):
    """A mail server."""

    async def deliver(self, mail: Mail, mail_id: str) -> None:
        """Hand a mail over; its Message-ID has `mail_id`, the same in each attempt.

        Raises:
            DeliveryError: The server did not take it.
        """
        ...


class Report(Protocol):
    """Report a mail that was not sent to operators."""

    def __call__(self, event: str, subject: str, error: str) -> None: ...


@dataclass(frozen=True, slots=True)
class OutboxPolicy:
    """Times between attempts, and their number.

    Attributes:
        poll: The longest time until a new mail is seen.
        lease: How long no other process tries a mail that one has claimed; longer than a delivery takes.
        first_pause: After the first failure; each further pause is four times as long, up to `max_pause`.
        max_pause: The longest pause.
        max_attempts: After so many a mail is given up: by these times, in six hours.
    """

    poll: timedelta = timedelta(seconds=1)
    lease: timedelta = timedelta(seconds=60)
    first_pause: timedelta = timedelta(seconds=2)
    max_pause: timedelta = timedelta(hours=1)
    max_attempts: int = 12

    def pause_after(self, attempts: int) -> timedelta:
        # The exponent is bounded, as a timedelta is.
        return min(self.first_pause * 4 ** min(attempts - 1, 10), self.max_pause)


@dataclass(frozen=True, slots=True)
class MailOutbox:
    """The `Mailer` of installations with a mail server. `run` has to be running."""

    transactions: SiteTransactions
    delivery: Delivery
    cipher: Fernet
    report: Report
    policy: OutboxPolicy = field(default_factory=OutboxPolicy)

    def check(self) -> None:
        """Do nothing: a mail server is configured."""

    async def post(self, store: OutboxStore, mail: Mail) -> None:
        fields = {"to": mail.to, "subject": mail.subject, "text": mail.text}
        if mail.unsubscribe_url:
            fields["unsubscribe_url"] = mail.unsubscribe_url
        # Links in mails are secrets, which rest in no table.
        content = self.cipher.encrypt(json.dumps([secrets.new_id("mail"), fields]).encode())
        await store.add_mail(content, mail.lifetime)

    async def run(self) -> None:
        """Deliver mails until cancelled; a delivery under way is completed first."""
        while True:
            try:
                claimed = await self._claim()
            except ServiceError as error:
                self.report("mails_not_read", "", str(error))
                claimed = ()
            if not claimed:
                await asyncio.sleep(self.policy.poll.total_seconds())
                continue
            deliveries = asyncio.gather(*map(self._deliver, claimed))
            try:
                await asyncio.shield(deliveries)
            except asyncio.CancelledError:
                await deliveries  # else the mails would be sent again
                raise

    async def _claim(self) -> Sequence[WaitingMail]:
        async with self.transactions() as store:
            return await store.claim_mails(_BATCH, self.policy.max_attempts, self.policy.lease)

    async def _deliver(self, waiting: WaitingMail) -> None:
        """Deliver a mail and delete it, or postpone it."""
        subject = ""
        try:
            mail_id, mail = self._read(waiting.content)
            subject = mail.subject
            await self.delivery.deliver(mail, mail_id)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, others are sent
            self.report("mail_not_sent", subject, str(error))
            is_final = isinstance(error, DeliveryError) and error.is_final
            if not is_final and waiting.attempts < self.policy.max_attempts:
                await self._change(waiting, self.policy.pause_after(waiting.attempts))
                return
            self.report("mail_given_up", subject, f"after {waiting.attempts} attempts")
        await self._change(waiting, None)

    def _read(self, content: bytes) -> tuple[str, Mail]:
        try:
            mail_id, fields = json.loads(self.cipher.decrypt(content))
        except InvalidToken:
            reason = "It was stored under another secret of the installation."
            raise DeliveryError(reason, is_final=True) from None
        return mail_id, Mail(**fields)

    async def _change(self, waiting: WaitingMail, pause: timedelta | None) -> None:
        """Have a mail tried again after the pause, or delete it if there is none.

        While Postgres is away neither is done: the mail is tried again when its lease has ended.
        """
        try:
            async with self.transactions() as store:
                if pause is None:
                    await store.drop_mail(waiting.mail_id)
                else:
                    await store.postpone_mail(waiting.mail_id, pause)
        except ServiceError as error:
            self.report("mails_not_read", "", str(error))
