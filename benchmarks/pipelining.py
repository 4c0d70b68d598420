"""The heavier queries, one at a time over one connection, as the data grow."""

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from benchmarks import load
from benchmarks.catalogue import Size, slug
from benchmarks.load import Target
from benchmarks.queries import tool_call

_SPONSOR_CATEGORIES: Final = ("security", "games", "food", "finance")


@dataclass(frozen=True, slots=True)
class Depth:
    """The duration of a query with that many sponsorships."""

    query: str
    sponsorships: int
    p50_ms: float
    p99_ms: float
    failures: int


def measure(target: Target, size: Size, sponsorships: int, count: int) -> list[Depth]:
    """Every query `count` times, each time about something else."""
    found: list[Depth] = []
    for query, body in _queries(size).items():
        outcome = load.sequence(target, body, count)
        found.append(
            Depth(
                query,
                sponsorships,
                round(outcome.p50_ms, 2),
                round(outcome.p99_ms, 2),
                outcome.failures,
            )
        )
    return found


def _queries(size: Size) -> dict[str, Callable[[int], bytes]]:
    def sponsor(number: int) -> dict[str, Any]:
        # Well-known ones and others: 0, 3, 12, 48, … by turns.
        return {"sponsor": slug(min(3 * 4 ** (number % 6) - 3, size.sponsors - 1))}

    return {
        "sponsor.top, a category and half a year": tool_call("sponsor.top", _ranking),
        "sponsor.top, all categories and a month": tool_call("sponsor.top", _month),
        "sponsor.top, all categories and 28 days": tool_call("sponsor.top", _days),
        "sponsor.top, all time": tool_call("sponsor.top", lambda _: {}),
        "sponsor.stats": tool_call("sponsor.stats", sponsor),
        "sponsor.stats of the best-known": tool_call(
            "sponsor.stats", lambda _: {"sponsor": slug(0)}
        ),
        "sponsor.youtubers": tool_call("sponsor.youtubers", sponsor),
        "youtuber.prospects": tool_call("youtuber.prospects", lambda n: {"youtuber": f"UC{n:022}"}),
        "sponsor.search": tool_call(
            "sponsor.search", lambda n: {"search": slug(n).partition("-")[0]}
        ),
    }


def _ranking(number: int) -> dict[str, Any]:
    year = 2022 + number % 4
    return {
        "category": _SPONSOR_CATEGORIES[number % len(_SPONSOR_CATEGORIES)],
        "from": f"{year}-01-01",
        "to": f"{year}-06-30",
    }


def _month(number: int) -> dict[str, Any]:
    year, month = 2022 + number % 4, 1 + number % 12
    last = calendar.monthrange(year, month)[1]
    return {"from": f"{year}-{month:02}-01", "to": f"{year}-{month:02}-{last}"}


def _days(number: int) -> dict[str, Any]:
    """A period that cuts a month in two, which no rollup answers."""
    month = f"{2022 + number % 4}-{1 + number % 12:02}"
    return {"from": f"{month}-01", "to": f"{month}-28"}
