"""An account's usage of one month: by day, by tool, and by API key and app."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, TypeVar

from auth_service.domain import usage as ledger
from auth_service.domain.calls import CredentialName, DailyCalls
from servicekit.latencies import BUCKETS, bound_of

K = TypeVar("K")

_UNKNOWN: Final = CredentialName("", "")
_MEDIAN: Final = 0.5
_P95: Final = 0.95


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of some calls.

    Attributes:
        requests: That the ledger counted.
        calls: That ended.
        errors: Of them, that ended with an error.
        latencies: Of them, by time (`servicekit.latencies`).
    """

    requests: int
    calls: int
    errors: int
    latencies: tuple[int, ...]

    @property
    def median_ms(self) -> int | None:
        """The bound within which half of the calls ended."""
        return bound_of(self.latencies, _MEDIAN)

    @property
    def p95_ms(self) -> int | None:
        """The bound within which 95 % of the calls ended."""
        return bound_of(self.latencies, _P95)


def total(rows: Sequence[DailyCalls]) -> Figures:
    """Return the figures of rows together."""
    latencies = [0] * BUCKETS
    for row in rows:
        for index, count in enumerate(row.latencies[:BUCKETS]):
            latencies[index] += count
    return Figures(
        sum(row.requests for row in rows),
        sum(row.calls for row in rows),
        sum(row.errors for row in rows),
        tuple(latencies),
    )


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Rows of a month, and the names of their credentials."""

    month: str
    rows: tuple[DailyCalls, ...]
    names: Mapping[str, CredentialName]

    def name_of(self, credential_id: str) -> CredentialName:
        return self.names.get(credential_id, _UNKNOWN)

    def by_day(self) -> Sequence[tuple[date, Figures]]:
        """Return each day of the month, those without calls among them."""
        first, following = ledger.month_bounds(self.month)
        days = [first + timedelta(days=n) for n in range((following - first).days)]
        found = self._grouped(lambda row: row.day)
        return [(day, found.get(day) or total(())) for day in days]

    def by_tool(self) -> Sequence[tuple[str, Figures]]:
        """Return the tools, those with most requests first."""
        return _ordered(self._grouped(lambda row: row.tool), lambda tool: tool)

    def by_credential(self) -> Sequence[tuple[CredentialName, Figures]]:
        """Return the API keys and apps, those with most requests first."""
        found = _ordered(
            self._grouped(lambda row: row.credential_id), lambda key: self.name_of(key).name
        )
        return [(self.name_of(credential_id), figures) for credential_id, figures in found]

    def _grouped(self, key: Callable[[DailyCalls], K]) -> Mapping[K, Figures]:
        groups: dict[K, list[DailyCalls]] = {}
        for row in self.rows:
            groups.setdefault(key(row), []).append(row)
        return {group: total(rows) for group, rows in groups.items()}


def _ordered(
    figures: Mapping[str, Figures], name: Callable[[str], str]
) -> Sequence[tuple[str, Figures]]:
    return sorted(
        figures.items(),
        key=lambda item: (-item[1].requests, -item[1].calls, name(item[0]), item[0]),
    )
