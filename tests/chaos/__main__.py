"""Random faults on two of everything, under load near the limits, with a check of every count.

    python -m tests.chaos [--minutes 10] [--seed N] [--round K]

Faults are kills, pauses, partitions, promotions of engines and clocks that are 20 s off. A round has one to
three of them and ends with everything whole: nobody got more than the plan, the ledger has each answered call
once, the import is complete and not doubled, and every part came back by itself. The seed is printed; with it,
and the number of a round, the same faults come at the same times again.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.chaos.breaking import possible
from tests.chaos.layout import layout
from tests.chaos.plan import plan
from tests.chaos.round import Outcome, play
from tests.fakes.haproxy import PROGRAM

PAGE: Final = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "chaos.md"
LOGS: Final = Path(__file__).resolve().parents[2] / "test-results" / "chaos"
_COLUMNS: Final = ("round", "faults", "calls", "failed", "recovered after", "problems")


async def chaos(minutes: float, seed: int, only: int | None, console: Console) -> list[Outcome]:
    """Play rounds until the time is up, or one of them; end after the first with a problem."""
    kinds = possible()
    if "skew" not in kinds:
        console.print("Clocks are not moved: libfaketime is missing (apt-get install faketime).")
    console.print(f"Seed {seed}. Starting two of everything …")
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-chaos-") as folder:
        try:
            async with layout(Path(folder)) as stack:
                ends = time.monotonic() + minutes * 60
                for number in itertools.count() if only is None else [only]:
                    if only is None and time.monotonic() >= ends:
                        break
                    faults = plan(seed, number, kinds)
                    console.print(f"Round {number}: {'; '.join(map(str, faults))}")
                    outcome = await play(stack, number, faults)
                    outcomes.append(outcome)
                    console.print("   ", ", ".join(_row(outcome)[2:]))
                    if outcome.problems:
                        break
        finally:
            _keep_logs(Path(folder))
    return outcomes


def _keep_logs(home: Path) -> None:
    LOGS.mkdir(parents=True, exist_ok=True)
    for log in home.rglob("*.log"):
        shutil.copy(log, LOGS / log.name)


def _row(outcome: Outcome) -> tuple[str, ...]:
    kinds = outcome.kinds
    failed = {kind: n for kind, n in kinds.items() if kind not in ("ok", "quota")}
    return (
        str(outcome.number),
        "; ".join(map(str, outcome.faults)),
        f"{kinds.total()} calls",
        ", ".join(f"{n} {kind}" for kind, n in sorted(failed.items())) or "none failed",
        "not whole again" if outcome.seconds is None else f"whole after {outcome.seconds:.1f} s",
        "; ".join(outcome.problems) or "all counts right",
    )


def _page(seed: int, outcomes: list[Outcome]) -> str:
    calls = sum(outcome.kinds.total() for outcome in outcomes)
    faults = sum(len(outcome.faults) for outcome in outcomes)
    wrong = sum(bool(outcome.problems) for outcome in outcomes)
    lines = [
        "# Chaos",
        "",
        "Written by `make chaos`: two of every service behind HAProxy, Postgres with a standby, Valkey with a",
        "replica and three Sentinels, all on one machine.",
        "",
        f"Seed {seed}: {len(outcomes)} rounds, {faults} faults, {calls:,} calls; {wrong} rounds with a problem.",
        "",
        f"| {' | '.join(_COLUMNS)} |",
        f"|{' --- |' * len(_COLUMNS)}",
        *(f"| {' | '.join(_row(outcome))} |" for outcome in outcomes),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--round", type=int, default=None, help="only this one")
    options = parser.parse_args()
    if not PROGRAM:
        sys.exit("HAProxy is missing: apt-get install haproxy")
    console = Console()
    outcomes = asyncio.run(chaos(options.minutes, options.seed, options.round, console))
    table = Table(*_COLUMNS)
    for outcome in outcomes:
        table.add_row(*_row(outcome))
    console.print(table)
    if options.round is None:
        PAGE.write_text(_page(options.seed, outcomes), encoding="utf-8")
    failed = [outcome for outcome in outcomes if outcome.problems]
    for outcome in failed:
        console.print(f"Round {outcome.number}: {'; '.join(outcome.problems)}")
        console.print(
            f"Again: python -m tests.chaos --seed {options.seed} --round {outcome.number}"
        )
    if failed:
        console.print(f"Logs are in {LOGS}")
        sys.exit(1)


if __name__ == "__main__":
    main()
