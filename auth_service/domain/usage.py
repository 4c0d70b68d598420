"""The usage ledger: every admitted call, once."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from servicekit.errors import InvalidInput

MAX_ENTRIES: Final = 1_000
MAX_COST: Final = 100
"""Most requests that one call counts as."""

REFUND: Final = ":refund"
"""Ends the id of an entry that refunds the call of the id before it."""
LEDGER: Final = "ledger"
"""Counts in an epoch in which no gateway reaches Valkey."""
_MONTH: Final = re.compile(r"(?!0000|9999)[0-9]{4}-(0[1-9]|1[0-2])")
"""Months whose following one a date can name; dates know the years 1 to 9999."""


@dataclass(frozen=True, slots=True)
class UsageEntry:
    """One admitted call with the requests that it counts as, or with a negative `cost` one that was given back.

    Its id is unique for ever.
    """

    entry_id: str
    account_id: str
    credential_id: str
    tool: str
    admitted_at: datetime
    cost: int

    def __post_init__(self) -> None:
        requests = -self.cost if self.entry_id.endswith(REFUND) else self.cost
        if not 1 <= requests <= MAX_COST:
            raise InvalidInput(
                f"Entry {self.entry_id!r} costs {self.cost}: a call costs 1 to {MAX_COST}, and the same below zero takes "
                f"back the call whose id stands before {REFUND!r}.",
                details={"field": "entries.cost"},
            )


@dataclass(frozen=True, slots=True)
class DailyUsage:
    """Requests of one tool on one day (UTC)."""

    day: date
    tool: str
    requests: int


@dataclass(frozen=True, slots=True)
class Usage:
    """An account's requests of one month."""

    requests: int
    by_day: tuple[DailyUsage, ...]


@dataclass(frozen=True, slots=True)
class CounterState:
    """The present epoch and the one authority that counts in it.

    Attributes:
        epoch: Its name, "" before the first one.
        bypassed: The epoch has to end: the ledger holds calls that its counters lack, or its
            authority is gone.
        counted_by: The run of the Valkey server whose counters are in use, or `LEDGER`; "" before
            the first epoch.
        is_open: The counters of the epoch have been in use.
        timeline: Postgres's timeline, which changes when a standby is promoted.
    """

    epoch: str
    bypassed: bool
    counted_by: str = ""
    is_open: bool = False
    timeline: str = ""


@dataclass(frozen=True, slots=True)
class Lease:
    """A gateway's right to count.

    Attributes:
        gateway_id: The gateway.
        renewed_at: By Postgres's clock.
        epoch: The epoch that it may count in, "" for none.
        valkey: The run of the Valkey server that it reached, "" for none.
    """

    gateway_id: str
    renewed_at: datetime
    epoch: str
    valkey: str


def month_bounds(month: str) -> tuple[date, date]:
    """Return the first day of `month` ("2026-11") and of the month after.

    Raises:
        InvalidInput: It is no month.
    """
    if not _MONTH.fullmatch(month):
        raise InvalidInput(f"{month!r} is not a month such as 2026-11.", details={"field": "month"})
    first = date.fromisoformat(f"{month}-01")
    following = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    return first, following


def month_of(moment: datetime) -> str:
    """Return the month of a moment in UTC."""
    return f"{moment:%Y-%m}"
