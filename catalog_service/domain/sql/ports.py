"""The port to the database as callers' SQL sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from catalog_service.domain.sql.free_work import Stopwatch


@dataclass(frozen=True, slots=True)
class Plan:
    """The planner's estimate of a statement, and the names and types of its columns.

    Attributes:
        cost: In the planner's units.
        columns: Name and Postgres type of each.
        notes: Sentences about what the caller may not have meant.
    """

    cost: float
    columns: Sequence[tuple[str, str]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a statement, as far as they fit.

    Attributes:
        json: A JSON array of arrays.
        count: Rows in it.
        cut_off: Why there are more than these; None if there are not.
    """

    plan: Plan
    json: bytes
    count: int
    cut_off: str | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """What Postgres has measured of a table.

    Attributes:
        rows: Rows, about.
        filled: By column, the share of rows that are not null, 0 to 1.
    """

    rows: int
    filled: Mapping[str, float]


class SqlStore(Protocol):
    """Runs accepted statements as a role that can read the dataset and nothing else."""

    @property
    def max_cost(self) -> float:
        """The largest planned cost of a statement that is run."""
        ...

    async def plan(self, account_id: str, sql: str, stopwatch: Stopwatch | None = None) -> Plan:
        """Plan a statement without running it; the stopwatch begins when it waits for no other.

        Raises:
            SqlRefused: It is not one bounded SELECT over the dataset, or Postgres refuses it.
            SqlLimitReached: Planning takes too long.
            SqlBusy: Too many statements are under way.
            Unavailable: The database does not respond, or the deployment offers no SQL.
        """
        ...

    async def run(self, account_id: str, sql: str, stopwatch: Stopwatch | None = None) -> Rows:
        """Plan and run a statement; the stopwatch begins when it waits for no other.

        Raises:
            SqlRefused: It is not one bounded SELECT over the dataset, or Postgres refuses it.
            SqlTooExpensive: Its planned cost is too large.
            SqlLimitReached: It takes too long, or too much memory.
            SqlBusy: Too many statements are under way.
            Unavailable: The database does not respond, or the deployment offers no SQL.
        """
        ...

    async def statistics(self) -> Mapping[str, Statistics]:
        """Return what Postgres has measured of each table; one that it has not measured yet is left out."""
        ...
