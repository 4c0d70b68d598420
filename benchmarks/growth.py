"""What stays flat: each read tool at each filter in a small catalogue, and in a large one.

One connection, no kept answers, p50. Both catalogues have the same sponsors and youtubers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import psycopg

from benchmarks import bulk, load
from benchmarks.catalogue import Size, parties
from benchmarks.filters import calls
from benchmarks.report import FOLDER
from benchmarks.stack import BenchStack, running
from import_worker.catalog_writer import catalog_writer

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL: Final = 200_000
HUGE: Final = 20_000_000
FLAT: Final = 1.5
"""The most that a call may take in the large catalogue, in times of the small one."""

_WARM: Final = 4
_MB: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class State:
    """A catalogue of one size: p50 of each call in ms, and what it takes."""

    sponsorships: int
    fill_seconds: float
    disk_bytes: int
    memory_bytes: int
    p50_ms: dict[str, float]
    failures: int


def run(sponsorships: int, count: int, chosen: str = "") -> str:
    """Measure both sizes; return the table, which is stored as well.

    Args:
        sponsorships: Of the large catalogue.
        count: Calls of each kind.
        chosen: Only calls whose name contains this.
    """
    size = Size(20_000, 50_000, sponsorships, SMALL)
    with running() as stack:
        asyncio.run(_take_parties(stack, size))
        bodies = {name: body for name, body in calls(size).items() if chosen in name}
        states: list[State] = []
        for wanted in (SMALL, sponsorships):
            more = wanted - (states[-1].sponsorships if states else 0)
            seconds = bulk.add(stack.catalog_url, more, 1.0)
            states.append(_measure(stack, wanted, seconds, bodies, count))
            print(f"{wanted:,} sponsorships: filled in {seconds:.0f} s, measured", flush=True)
    text = table(*states)
    if not chosen:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / "growth.md").write_text(text)
    return text


async def _take_parties(stack: BenchStack, size: Size) -> None:
    async with catalog_writer(stack.addresses.catalog_grpc, stack.credentials) as writer:
        await writer.write(parties(size))


def _measure(
    stack: BenchStack,
    sponsorships: int,
    seconds: float,
    bodies: dict[str, Callable[[int], bytes]],
    count: int,
) -> State:
    p50: dict[str, float] = {}
    failures = 0
    for name, body in bodies.items():
        load.sequence(stack.target_without_memory, body, _WARM)
        # The measured calls ask what no warm one did: what is counted once is counted for each.
        outcome = load.sequence(
            stack.target_without_memory, lambda n, body=body: body(_WARM + n), count
        )
        p50[name] = outcome.p50_ms
        failures += outcome.failures
    with psycopg.connect(stack.catalog_url) as connection:
        disk = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    postgres = stack.engines["postgres"]
    processes = [postgres, *postgres.children(recursive=True)]
    memory = sum(process.memory_full_info().pss for process in processes)
    return State(sponsorships, seconds, disk[0] if disk else 0, memory, p50, failures)


def table(small: State, large: State) -> str:
    """Return the figures as Markdown, what grows most first."""

    def ratio(name: str) -> float:
        return large.p50_ms[name] / small.p50_ms[name]

    rows = [
        f"| {name} | {small.p50_ms[name]:.1f} | {large.p50_ms[name]:.1f} | {ratio(name):.1f} |"
        for name in sorted(small.p50_ms, key=ratio, reverse=True)
    ]
    flat = sum(ratio(name) <= FLAT for name in small.p50_ms)
    head = [
        "# Growth\n",
        "One connection over HTTP, no kept answers, p50 in ms. Trust ratios, not absolute figures.\n",
        f"| | {small.sponsorships:,} sponsorships | {large.sponsorships:,} | ratio |",
        "| --- | --- | --- | --- |",
    ]
    sums = [
        f"\n{flat} of {len(rows)} calls take at most {FLAT} × the time.\n",
        *(
            f"{state.sponsorships:,} sponsorships: filled in {state.fill_seconds:.0f} s; the database takes "
            f"{state.disk_bytes / _MB:,.0f} MB, Postgres {state.memory_bytes / _MB:,.0f} MB of memory; "
            f"{state.failures} calls failed."
            for state in (small, large)
        ),
    ]
    return "\n".join([*head, *rows, *sums]) + "\n"
