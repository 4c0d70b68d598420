"""Calls by day, tool and credential: how many, how many ended with an error, and how long they took.

Requests are the ledger's and exact. The rest is reported by gateways every few seconds: a batch
counts once, and what a gateway that is killed had not reported is lost.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

from servicekit.errors import InvalidInput
from servicekit.latencies import BUCKETS
from shapes.auth.auth import CallSum

MAX_SUMS: Final = 1_000


@dataclass(frozen=True, slots=True)
class CallBatch:
    """Sums that a gateway reports at once. What it sends again under the same id counts once."""

    batch_id: str
    sums: tuple[CallSum, ...]

    def __post_init__(self) -> None:
        if not self.batch_id:
            raise InvalidInput("batch_id is empty: name the batch.", details={"field": "batch_id"})
        if len(self.sums) > MAX_SUMS:
            raise InvalidInput(
                f"{len(self.sums)} sums are too many: send at most {MAX_SUMS:,}.",
                details={"field": "sums"},
            )
        for item in self.sums:
            _check(item)


def _check(item: CallSum) -> None:
    """Check one sum.

    Raises:
        InvalidInput: Its day is no day, or its figures cannot be of the same calls.
    """
    try:
        date.fromisoformat(item.day)
    except ValueError:
        raise InvalidInput(
            f"{item.day!r} is not a day such as 2026-11-23.", details={"field": "sums.day"}
        ) from None
    if not 0 <= item.errors <= item.calls:
        raise InvalidInput(
            f"{item.errors} errors of {item.calls} calls: send 0 to as many as there were calls.",
            details={"field": "sums.errors"},
        )
    is_of_all = sum(item.latencies) == item.calls and min(item.latencies, default=0) >= 0
    if len(item.latencies) != BUCKETS or not is_of_all:
        raise InvalidInput(
            f"latencies needs {BUCKETS} numbers from 0 on that sum up to the {item.calls} calls.",
            details={"field": "sums.latencies"},
        )


@dataclass(frozen=True, slots=True)
class DailyCalls:
    """Calls of one tool by one credential on one day (UTC).

    Attributes:
        requests: That the ledger counted for them.
        calls: That ended, free ones and refused ones among them.
        errors: Of them, that ended with an error.
        latencies: Of them, by time (`servicekit.latencies`); empty if none was reported.
    """

    day: date
    tool: str
    credential_id: str
    requests: int
    calls: int
    errors: int
    latencies: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CredentialName:
    """What people know a credential by.

    Attributes:
        name: Of the API key or application; empty when it is not known any more.
        member: Address of the member of an organisation who made it; else empty.
    """

    name: str
    member: str


class CallStore(Protocol):
    """Calls, in the transaction of their store."""

    async def record(self, batch: CallBatch) -> bool:
        """Add a batch to the sums of its days; false if it was added before."""
        ...

    async def days(self, account_id: str, first: date, following: date) -> Sequence[DailyCalls]:
        """Return an account's calls and requests from `first` to the day before `following`, by day."""
        ...

    async def credentials(self, credential_ids: Collection[str]) -> Mapping[str, CredentialName]:
        """Return the names of credentials by their ids."""
        ...
