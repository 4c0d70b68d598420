"""The checks. Each returns findings in words for operators."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from auth_service.domain.ports import Clock
from shapes.auth.diagnostics import DiagnosisFinding

MAX_SKEW: Final = timedelta(seconds=2)
MAX_BACKUP_AGE: Final = timedelta(hours=26)
FAILING_ATTEMPTS: Final = 3
"""After so many a mail waits because the server refuses it, and not for its turn."""


class PriceCheck(Protocol):
    """The payment provider, which knows its prices."""

    async def price_problem(self, price_id: str, *, is_sold: bool) -> str:
        """Return what is wrong with a price, empty if nothing is."""
        ...


@dataclass(frozen=True, slots=True)
class WaitingMails:
    """Mails that are not sent yet, and how many of them the server has refused again and again."""

    number: int
    failing: int


async def check_prices(
    provider: PriceCheck, prices: Mapping[str, Sequence[str]]
) -> Sequence[DiagnosisFinding]:
    """Look each configured price up at the provider; the first of a plan is the one that is sold."""
    found: list[DiagnosisFinding] = []
    for plan_id, price_ids in prices.items():
        for position, price_id in enumerate(price_ids):
            problem = await provider.price_problem(price_id, is_sold=position == 0)
            found.append(
                DiagnosisFinding(
                    f"Stripe price of {plan_id}",
                    not problem,
                    f"{price_id} {problem}".strip(),
                    "Put the id of the price in Stripe's dashboard into AUTH_STRIPE_PRICES, and its key "
                    "of the same account and mode (test or live) into AUTH_STRIPE_SECRET_KEY.",
                )
            )
    return found


async def check_clock(
    database_time: Callable[[], Awaitable[datetime]], clock: Clock
) -> Sequence[DiagnosisFinding]:
    """Compare this process's clock with the database's; half of the way there and back is left out."""
    begun = clock()
    theirs = await database_time()
    ended = clock()
    # Without the way, which may be long: the database answered somewhere between the two.
    skew = max(begun - theirs, theirs - ended, timedelta())
    detail = f"{skew.total_seconds():.1f} s from the database's"
    remedy = "Set the clocks of both machines by NTP: logins, codes and quotas depend on them."
    return [DiagnosisFinding("Clock", skew <= MAX_SKEW, detail, remedy)]


async def check_backup(
    last_backup: Callable[[], Awaitable[datetime | None]], clock: Clock, *, is_local: bool
) -> Sequence[DiagnosisFinding]:
    """Look at the age of the last good backup; on one's own machine there need be none."""
    made_at = await last_backup()
    remedy = "Make one by `sponsorgraph backup`, let it be made each day, and read why the last one failed."
    if made_at is None:
        detail = "none was made, nor need be on one's own machine" if is_local else "none is known"
        return [DiagnosisFinding("Last backup", is_local, detail, remedy)]
    age = clock() - made_at
    detail = f"{age.total_seconds() / 3600:.0f} hours ago"
    return [DiagnosisFinding("Last backup", age <= MAX_BACKUP_AGE, detail, remedy)]


async def check_mail(
    connect: Callable[[], Awaitable[str]], waiting: Callable[[], Awaitable[WaitingMails]]
) -> Sequence[DiagnosisFinding]:
    """Connect to the mail server as a delivery does, and look at the mails that wait for it."""
    problem = await connect()
    mails = await waiting()
    return [
        DiagnosisFinding(
            "Mail server",
            not problem,
            problem or "accepts the connection and the login",
            "Compare AUTH_SMTP_HOST, _PORT, _SECURITY, _USERNAME and _PASSWORD with the mail server's.",
        ),
        DiagnosisFinding(
            "Mails that wait",
            not mails.failing,
            f"{mails.number:,}, of which {mails.failing:,} were tried in vain",
            "Look for mail_not_sent in the log of the auth service, which says why.",
        ),
    ]


async def check_mail_folder(folder: str, *, is_local: bool) -> Sequence[DiagnosisFinding]:
    """Say where mails go without a mail server; on a site for others nobody would get them."""
    if folder:
        detail, remedy = f"are written to {folder} and not sent", "Set AUTH_SMTP_HOST."
        return [DiagnosisFinding("Mails", is_local, detail, remedy)]
    detail = "cannot be sent: nobody can sign up or reset a password (AUTH_SMTP_HOST)"
    return [DiagnosisFinding("Mails", fine=True, detail=detail)]


async def check_valkey(ping: Callable[[], Awaitable[object]]) -> Sequence[DiagnosisFinding]:
    """Reach Valkey from the auth service."""
    await ping()
    return [DiagnosisFinding("Valkey of the auth service", fine=True, detail="responds")]
