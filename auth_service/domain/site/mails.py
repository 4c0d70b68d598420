"""The mails that the site sends."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal, Protocol

Purpose = Literal["confirm", "reset"]
LIFETIMES: Final[dict[Purpose, timedelta]] = {
    "confirm": timedelta(days=2),  # the token belongs to a sign-up, not to an account
    "reset": timedelta(hours=1),
}


@dataclass(frozen=True, slots=True)
class Mail:
    """A plain-text mail."""

    to: str
    subject: str
    text: str


class Mailer(Protocol):
    """Send mails, or write them to a folder."""

    def check(self) -> None:
        """Raise `Unavailable` where this installation sends no mails."""
        ...

    def post(self, mail: Mail) -> None:
        """Accept a mail for delivery without waiting for it."""
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
    )


def notice(to: str, event: str) -> Mail:
    return Mail(
        to,
        event,
        f"{event}.\n\nIf it was not you, reset your password and look at your account's security "
        "log.\n",
    )
