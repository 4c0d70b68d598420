"""The mails that the site sends."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Literal, Protocol

Purpose = Literal["confirm", "reset"]
LIFETIMES: Final[dict[Purpose, timedelta]] = {
    "confirm": timedelta(days=2),  # the token belongs to a sign-up, not to an account
    "reset": timedelta(hours=1),
}


@dataclass(frozen=True, slots=True)
class Mail:
    """A plain-text mail; it is of no use once its lifetime is over, and then not sent any more.

    `unsubscribe_url` ends such mails by one POST (RFC 8058); empty where there is nothing to end.
    """

    to: str
    subject: str
    text: str
    lifetime: timedelta = field(default=LIFETIMES["confirm"], compare=False)
    unsubscribe_url: str = ""


@dataclass(frozen=True, slots=True)
class WaitingMail:
    """A mail that waits for the mail server; the attempt that it is claimed for is counted."""

    mail_id: int
    content: bytes
    attempts: int


class OutboxStore(Protocol):
    """A transaction that stores mails for the mail server."""

    async def add_mail(self, content: bytes, lifetime: timedelta) -> None:
        """Add a mail, due at once."""
        ...

    async def claim_mails(
        self, limit: int, max_attempts: int, lease: timedelta
    ) -> Sequence[WaitingMail]:
        """Count an attempt of each mail that is due, and return them; they are due again after the lease.

        Mails whose lifetime is over, or that had all attempts, stay out.
        """
        ...

    async def postpone_mail(self, mail_id: int, pause: timedelta) -> None: ...

    async def drop_mail(self, mail_id: int) -> None: ...


class Mailer(Protocol):
    """Send mails, or write them to a folder."""

    def check(self) -> None:
        """Raise `Unavailable` where this installation sends no mails."""
        ...

    async def post(self, store: OutboxStore, mail: Mail) -> None:
        """Accept a mail without waiting for its delivery; it is sent if the transaction is committed."""
        ...


def confirmation(to: str, link: str) -> Mail:
    return Mail(
        to,
        "Confirm your address",
        f"Somebody, probably you, signed up for Sponsorgraph with this address.\n\n"
        f"Confirm it within two days:\n{link}\n\nIf it was not you, do nothing: without you there "
        f"will be no account.\n",
    )


def already_registered(to: str, link: str) -> Mail:
    return Mail(
        to,
        "You have an account already",
        f"Somebody, probably you, tried to make a Sponsorgraph account with this address. There is "
        f"one already. Log in here:\n{link}\n\nIf it was not you, do nothing.\n",
    )


def password_reset(to: str, link: str) -> Mail:
    return Mail(
        to,
        "Choose a new password",
        f"Somebody, probably you, asked for a new password.\n\nChoose one within the hour:\n{link}"
        f"\n\nIf it was not you, do nothing: your password stays as it is.\n",
        LIFETIMES["reset"],
    )


def password_reset_by_operator(to: str, link: str) -> Mail:
    return Mail(
        to,
        "Choose a new password",
        f"The operator of this Sponsorgraph service sends you this link, by which you choose a new "
        f"password.\n\nChoose one within the hour:\n{link}\n\nIf you did not ask them for it, do "
        f"nothing: your password stays as it is.\n",
        LIFETIMES["reset"],
    )


def notice(to: str, event: str) -> Mail:
    return Mail(
        to,
        event,
        f"{event}.\n\nIf it was not you, reset your password and look at your account's security "
        "log.\n",
    )


def email_change(to: str, present_email: str, link: str) -> Mail:
    return Mail(
        to,
        "Confirm your new address",
        f"Somebody, probably you, wants to use this address for the Sponsorgraph account of "
        f"{present_email}.\n\n"
        f"Confirm it within a day:\n{link}\n\nA mail to the present address has a link, too: the "
        f"address changes when both are confirmed. If it was not you, do nothing.\n",
    )


def email_change_notice(to: str, new_email: str, link: str) -> Mail:
    return Mail(
        to,
        "Confirm or stop the change of your address",
        f"Somebody, probably you, wants to change the address of your Sponsorgraph account to "
        f"{new_email}.\n\nConfirm or stop it within a day:\n{link}\n\nThe address changes when this "
        f"and the link to the new one are confirmed. If it was not you, stop it there and reset your "
        f"password: somebody knows it.\n",
    )


def email_change_taken(to: str, link: str) -> Mail:
    return Mail(
        to,
        "You have an account already",
        f"Somebody, probably you, tried to give this address to another Sponsorgraph account. It has "
        f"an account of its own. Log in here:\n{link}\n\nIf it was not you, do nothing.\n",
    )
