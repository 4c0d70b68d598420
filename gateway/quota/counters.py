"""The one authority that counts calls: the counters of an epoch in Valkey, or the ledger."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

LEDGER: Final = "ledger"
"""The authority in an epoch in which no gateway reaches Valkey."""


@dataclass(frozen=True, slots=True)
class LedgerDecision:
    """The ledger's decision on a call.

    Attributes:
        admitted: Whether the month had room.
        used: Requests of the month after it.
        at: The ledger's clock.
        month_end: The first day of the month after.
    """

    admitted: bool
    used: int
    at: datetime
    month_end: date


@dataclass(frozen=True, slots=True)
class GenerationSnapshot:
    """The state of the counters in Valkey.

    Attributes:
        generation: The generation of counters in use, "" for none.
        run_id: The run of the server; another one may have forgotten the last moments.
    """

    generation: str
    run_id: str

    @property
    def is_open(self) -> bool:
        """Counters are in use, and in the run of the server in which they began."""
        return self.generation.endswith(f".{self.run_id}")


def generation_name(epoch: str, run_id: str) -> str:
    """Return the name of an epoch's counters in one run of a server."""
    return f"{epoch}.{run_id}"


def epoch_of(generation: str) -> str:
    """Return the epoch of a generation."""
    return generation.partition(".")[0]
