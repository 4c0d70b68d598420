"""What stays flat: each read tool at each filter in a small catalogue beside a large one.

Both stacks are alive in one run, and the calls of a row alternate between them, so that what else the
machine does slows both. One connection, no kept answers, p50. Both have the same sponsors and youtubers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from statistics import median
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


@dataclass(slots=True)
class State:
    """A catalogue of one size: p50 of each call in ms, and what it takes."""

    sponsorships: int
    fill_seconds: float
    disk_bytes: int = 0
    memory_bytes: int = 0
    p50_ms: dict[str, float] = field(default_factory=dict[str, float])
    failures: int = 0


def run(sponsorships: int, count: int, chosen: str = "") -> str:
    """Measure both sizes; return the table, which is stored as well.

    Args:
        sponsorships: Of the large catalogue.
        count: Calls of each kind.
        chosen: Only calls whose name contains this.
    """
    size = Size(20_000, 50_000, sponsorships, SMALL)
    bodies = {name: body for name, body in calls(size).items() if chosen in name}
    with running() as small, running() as large:
        stacks = (small, large)
        states = tuple(
            _fill(stack, wanted, size)
            for stack, wanted in zip(stacks, (SMALL, sponsorships), strict=True)
        )
        for name, body in bodies.items():
            _measure(name, body, stacks, states, count)
        for stack, state in zip(stacks, states, strict=True):
            _weigh(stack, state)
    text = table(*states)
    if not chosen:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / "growth.md").write_text(text)
    return text


def _fill(stack: BenchStack, sponsorships: int, size: Size) -> State:
    asyncio.run(_take_parties(stack, size))
    state = State(sponsorships, bulk.add(stack.catalog_url, sponsorships, 1.0))
    print(f"{sponsorships:,} sponsorships: filled in {state.fill_seconds:.0f} s", flush=True)
    return state


async def _take_parties(stack: BenchStack, size: Size) -> None:
    async with catalog_writer(stack.addresses.catalog_grpc, stack.credentials) as writer:
        await writer.write(parties(size))


def _measure(
    name: str,
    body: Callable[[int], bytes],
    stacks: tuple[BenchStack, ...],
    states: tuple[State, ...],
    count: int,
) -> None:
    """Send each call to one stack and then to the other."""
    latencies: tuple[list[float], ...] = tuple([] for _ in stacks)
    for number in range(_WARM + count):
        for stack, state, measured in zip(stacks, states, latencies, strict=True):
            # The measured calls ask what no warm one did: what is counted once is counted for each.
            outcome = load.sequence(
                stack.target_without_memory, lambda _, number=number: body(number), 1
            )
            state.failures += outcome.failures
            if number >= _WARM:
                measured.append(outcome.p50_ms)
    for state, measured in zip(states, latencies, strict=True):
        state.p50_ms[name] = median(measured)
    print(name, *(f"{state.p50_ms[name]:.1f} ms" for state in states), flush=True)


def _weigh(stack: BenchStack, state: State) -> None:
    with psycopg.connect(stack.catalog_url) as connection:
        disk = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    postgres = stack.engines["postgres"]
    processes = [postgres, *postgres.children(recursive=True)]
    state.disk_bytes = disk[0] if disk else 0
    state.memory_bytes = sum(process.memory_full_info().pss for process in processes)


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
        "Both alive in one run, calls by turns. One connection over HTTP, no kept answers, p50 in ms. Trust ratios.\n",
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
