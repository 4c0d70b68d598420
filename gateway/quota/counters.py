"""Who counts calls: the counters of an epoch in Valkey, or the ledger while they are away."""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class CounterState:
    """What the ledger says: the present epoch, and whether it holds calls that its counters lack."""

    epoch: str
    bypassed: bool


@dataclass(frozen=True, slots=True)
class LedgerDecision:
    """What the ledger says to a call that asks for admission.

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
    """What Valkey remembers.

    Attributes:
        lineage: What its counters may be used under, None when it remembers nothing.
        run_id: Which run of which server this is; another one may have forgotten the last moments.
    """

    lineage: str | None
    run_id: str

    def is_of(self, counting: CounterState) -> bool:
        """Whether its counters have every call that the ledger has."""
        return self.lineage == lineage(counting.epoch, self.run_id) and not counting.bypassed

    @property
    def is_open(self) -> bool:
        """Whether its counters are in use, and in the memory in which they began."""
        return self.lineage is not None and self.lineage.endswith(f".{self.run_id}")


def lineage(epoch: str, run_id: str) -> str:
    """What an epoch's counters in the memory of one run of a server are used under."""
    return f"{epoch}.{run_id}"


def epoch_of(lineage_: str) -> str:
    """The epoch of a lineage."""
    return lineage_.partition(".")[0]
