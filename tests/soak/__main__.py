"""Mixed load on the whole stack for an hour: memory and descriptors flat, no error, an exact ledger.

    python -m tests.soak [--minutes 60] [--per-second 40]

Calls of two API keys, an OAuth client and an account whose month ends early, and an import every
half a minute. The last lines, and benchmarks/results/soak.md, say what was measured.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psutil
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from devstack.youtube import MadeChannel
from tests.e2e.channel_imports import made_channel
from tests.faults.load import Account, Load
from tests.faults.promises import Balance, balance, imported
from tests.faults.services import Running, running
from tests.faults.trial import begin_import, new_accounts
from tests.soak.trend import Sample, Trend, trend

PAGE: Final = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "soak.md"
WARM_UP: Final = 0.25
"""Share of the time after which samples count: pools, caches and allocators have filled by then."""

_SAMPLE_SECONDS: Final = 2.0
_IMPORT_SECONDS: Final = 30.0
_VIDEOS: Final = 100
_SETTINGS: Final = {"GATEWAY_RESULT_CACHE_BYTES": "200000"}
"""Small enough to be full before the samples count."""


@dataclass(slots=True)
class Soak:
    """The measurements so far."""

    stack: Running
    load: Load
    samples: dict[str, list[Sample]] = field(default_factory=dict[str, list[Sample]])
    imports: list[tuple[MadeChannel, str]] = field(default_factory=list[tuple[MadeChannel, str]])

    def sample(self) -> None:
        """Looks at every process once."""
        for name in (*self.stack.children, "valkey"):
            process = psutil.Process(self.stack.pid(name))
            now = Sample(time.monotonic(), process.memory_info().rss, process.num_fds())
            self.samples.setdefault(name, []).append(now)

    async def begin_import(self, account: Account) -> None:
        name = f"s{secrets.token_hex(3)}"
        channel = made_channel(name, _VIDEOS)
        self.stack.youtube.show(channel)
        self.load.calls.append(await begin_import(self.stack, account, channel))
        self.imports.append((channel, name))

    @property
    def errors(self) -> dict[str, int]:
        """Calls that were not successful, by what their callers saw."""
        return {kind: n for kind, n in self.load.by_kind().items() if kind not in ("ok", "quota")}

    def trends(self) -> dict[str, Trend]:
        """Of every process after the warm-up."""
        return {
            name: trend(found[int(len(found) * WARM_UP) :]) for name, found in self.samples.items()
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that the soak has to say."""

    minutes: float
    soak: Soak
    counts: Balance
    imports_lost: int
    imports_double: int

    def faults(self) -> list[str]:
        """Return the failed expectations in words; none when all is well."""
        counts = self.counts
        found = [f"{n} calls: {kind}" for kind, n in self.soak.errors.items()]
        found += [f"{name} grows" for name, of in self.soak.trends().items() if not of.is_flat]
        found += [*counts.apart, *counts.beyond]
        if counts.lost or counts.double or counts.unreported:
            found.append(f"ledger: {counts.lost} lost, {counts.double} double")
        if self.imports_lost or self.imports_double:
            found.append(f"imports: {self.imports_lost} lost, {self.imports_double} double")
        if self.soak.load.held_back:
            found.append(f"{self.soak.load.held_back} calls were due and not sent")
        return found

    def rows(self) -> list[tuple[str, ...]]:
        """A row for each process, as text."""
        return [
            (
                name,
                f"{of.memory / 2**20:,.1f}",
                f"{of.grown / 2**20:+,.2f}",
                f"{of.hourly / of.memory:+.1%}",
                f"{of.files:,.0f}",
                f"{of.opened:+,.1f}",
                "yes" if of.is_flat else "no",
            )
            for name, of in self.soak.trends().items()
        ]

    def sentences(self) -> list[str]:
        """Return the other measurements in words."""
        calls = self.soak.load.calls
        waits = sorted((call.ended - call.sent) * 1000 for call in calls)
        quantiles = statistics.quantiles(waits, n=100)
        counts = self.counts
        return [
            f"{self.minutes:g} minutes, {len(calls):,} calls ({len(calls) / self.minutes / 60:.0f} a "
            f"second), {sum(self.soak.errors.values())} errors, answers in "
            f"{quantiles[49]:.1f} ms (median) and {quantiles[98]:.1f} ms (p99).",
            f"Ledger: {counts.ledger:,} requests, {counts.succeeded:,} answers that cost one; "
            f"{counts.lost} lost, {counts.double} double.",
            f"Imports: {len(self.soak.imports)} of {_VIDEOS} videos each; {self.imports_lost} "
            f"sponsorships lost, {self.imports_double} double.",
        ]

    def page(self) -> str:
        """As Markdown."""
        lines = [
            "# Soak",
            "",
            "Written by `make soak`. Load, engines and services share one machine. Memory and open files "
            f"are lines through samples taken every {_SAMPLE_SECONDS:g} s after the first quarter.",
            "",
            *(f"- {sentence}" for sentence in self.sentences()),
            f"- {'; '.join(self.faults()) or 'All as it must be'}.",
            "",
            f"| {' | '.join(_COLUMNS)} |",
            f"|{' --- |' * len(_COLUMNS)}",
            *(f"| {' | '.join(row)} |" for row in self.rows()),
        ]
        return "\n".join(lines) + "\n"


_COLUMNS: Final = ("process", "memory MB", "grown MB", "an hour", "files", "opened", "flat")


async def soak(minutes: float, per_second: float, console: Console) -> Outcome:
    """Runs the load on a new stack for so long."""
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-soak-") as folder:
        async with running(Path(folder), more=_SETTINGS) as stack:
            accounts = await new_accounts(stack)
            made = Soak(stack, Load(stack.mcp_url, accounts, per_second=per_second))
            async with made.load.going():
                await _watch(made, accounts[0], minutes * 60, console)
            counts = await balance(stack, made.load.calls)
            left = [await imported(stack, channel, name) for channel, name in made.imports]
            return Outcome(
                minutes, made, counts, sum(o.lost for o in left), sum(o.double for o in left)
            )


async def _watch(made: Soak, account: Account, seconds: float, console: Console) -> None:
    began = time.monotonic()
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=console
    ) as progress:
        shown = progress.add_task("starting", total=seconds)
        next_import = 0.0
        while (passed := time.monotonic() - began) < seconds:
            if passed >= next_import and seconds - passed > _IMPORT_SECONDS / 2:
                next_import += _IMPORT_SECONDS
                await made.begin_import(account)
            made.sample()
            memory = sum(found[-1].memory for found in made.samples.values())
            text = (
                f"{len(made.load.calls):,} calls, {sum(made.errors.values())} errors, "
                f"{memory >> 20} MB, {sum(f[-1].files for f in made.samples.values())} files"
            )
            progress.update(shown, completed=passed, description=text)
            await asyncio.sleep(_SAMPLE_SECONDS)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--per-second", type=float, default=40)
    options = parser.parse_args()
    console = Console()
    outcome = asyncio.run(soak(options.minutes, options.per_second, console))
    table = Table(*_COLUMNS)
    for row in outcome.rows():
        table.add_row(*row)
    console.print(table)
    for sentence in outcome.sentences():
        console.print(sentence)
    PAGE.write_text(outcome.page())
    if faults := outcome.faults():
        sys.exit("; ".join(faults))


if __name__ == "__main__":
    main()
