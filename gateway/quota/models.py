"""Models of quota: the usage request of a call, the counter's decision, the ledger's entry.

What each call makes is a `Struct`, which is made in a sixth of the time that a frozen dataclass takes.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import msgspec


class UsageRequest(msgspec.Struct, frozen=True):
    """A call that requests admission. A `cost` of 0 is burst-limited but never counted."""

    entry_id: str
    account_id: str
    credential_id: str
    tool: str
    cost: int


class Seed(msgspec.Struct, frozen=True):
    """The first value of a counter: the month's requests in the ledger, read under a generation."""

    used: int
    generation: str = ""


class QuotaState(msgspec.Struct, frozen=True):
    """The rest of an account's month; `at` is the counter's clock when it was read."""

    limit: int
    remaining: int
    resets_at: datetime
    at: datetime


class Decision(msgspec.Struct, frozen=True):
    """The store's decision on a usage request.

    Attributes:
        outcome: `unseeded` means that the month has no counter yet and that none was given,
            `closed` that the counters of this generation are not in use any more.
        month: The month that the store's clock is in, as "2026-11" (UTC).
        at: The store's clock.
        state: The quota after the call, or None if unseeded or closed.
        wait_seconds: Until the burst bucket has room, for `rate_limited`.
        catalog_version: The catalogue's version at that moment; "" when it is not known.
        generation: Of the counters that were asked; "" where there is none.
    """

    outcome: Literal["admitted", "quota_exceeded", "rate_limited", "unseeded", "closed"]
    month: str
    at: datetime
    state: QuotaState | None
    wait_seconds: float
    catalog_version: str = ""
    generation: str = ""


class Reservation(msgspec.Struct, frozen=True):
    """An admitted usage request, with all that undoing it needs.

    `catalog_version` is the catalogue's at the moment of the admission, "" when it is not known;
    `generation` that of the counters that have it, "" when none has.
    """

    usage: UsageRequest
    month: str
    admitted_at: datetime
    state: QuotaState
    catalog_version: str = ""
    generation: str = ""


@dataclass(frozen=True, slots=True)
class UsageEntry:
    """One line of the usage ledger; a negative `cost` refunds an admitted call that failed."""

    entry_id: str
    account_id: str
    credential_id: str
    tool: str
    admitted_at: datetime
    cost: int
