"""What a request costs the gateway under several Pythons, measured by turns on one stack.

Each Python has the gateway's dependencies (`requirements/gateway.lock`) and takes the code from the present folder. All of
the gateways are alive at once, and only one has requests at a time.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Final

import psutil

from benchmarks import bulk, cores, load
from benchmarks.catalogue import Size
from benchmarks.load import Outcome, Target
from benchmarks.queries import LIST, SAME, SEARCH, Workload, workloads
from benchmarks.report import FOLDER
from benchmarks.stack import BenchStack, running
from devstack.clients.readiness import gateway_readiness
from devstack.ports import HOST, free_port

_LOADS: Final = (SEARCH, SAME, LIST)
_VERSION: Final = "import platform; print(platform.python_version())"
_START_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class _Gateway:
    """A gateway under one Python."""

    python: str
    version: str
    process: psutil.Process
    target: Target


@dataclass(slots=True)
class _Figures:
    """What the rounds gave; CPU in µs a request."""

    cpu_us: list[float] = field(default_factory=list[float])
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    sent: int = 0


_All = Mapping[tuple[str, str], _Figures]


def run(pythons: Sequence[str], seconds: float, rounds: int, scale: float) -> str:
    """Measure, and return the table, which is stored as well.

    Args:
        pythons: Names of the programs; the others are compared with the first.
        seconds: Of each round of a load.
        rounds: In which all take turns.
        scale: Times 200,000 sponsorships.
    """
    size = Size(*(max(100, int(n * scale)) for n in (20_000, 50_000, 1_000_000, 200_000)))
    with running() as stack:
        asyncio.run(cores.fill(stack, size))
        bulk.add(stack.catalog_url, size.videos - cores.ingested(size), size.share)
        with _gateways(stack, pythons) as gateways:
            figures = _measured(gateways, workloads(size), seconds, rounds)
            text = _table(gateways, figures, seconds, rounds)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "interpreters.md").write_text(text)
    return text


@contextmanager
def _gateways(stack: BenchStack, pythons: Sequence[str]) -> Generator[list[_Gateway]]:
    with ExitStack() as exits:
        yield [_started(exits, stack, python) for python in pythons]


def _started(exits: ExitStack, stack: BenchStack, python: str) -> _Gateway:
    version = subprocess.run([python, "-c", _VERSION], capture_output=True, text=True, check=True)
    port = free_port()
    log = stack.folder / f"interpreter-{port}.log"
    own = {"GATEWAY_PORT": str(port), "GATEWAY_INSTANCE": f"gateway-{port}"}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [python, "-m", "gateway"],
            env={**os.environ, **stack.environments["gateway"], **own},  # noqa: TID251 - children keep the shell's settings
            stdout=output,
            stderr=output,
        )
    exits.callback(process.wait)
    exits.callback(process.terminate)
    deadline = time.monotonic() + _START_SECONDS
    while not ((found := gateway_readiness(f"{HOST}:{port}")) and found["ready"]):
        if process.poll() is not None or time.monotonic() > deadline:
            raise OSError(f"{python} did not start: {log.read_text()[-2000:]}")
        time.sleep(0.1)
    target = Target(port, stack.api_key)
    return _Gateway(python, version.stdout.strip(), psutil.Process(process.pid), target)


def _measured(
    gateways: Sequence[_Gateway], requests: Mapping[str, Workload], seconds: float, rounds: int
) -> _All:
    figures = {(item.python, name): _Figures() for item in gateways for name in _LOADS}
    for number in range(rounds + 1):
        # Whoever comes first does not always: what the machine does beside it drifts.
        turn = number % len(gateways)
        for name in _LOADS:
            for item in (*gateways[turn:], *gateways[:turn]):
                of_load = figures[item.python, name]
                _round(item, requests[name], of_load, seconds, keep=number > 0)
        print(f"round {number} of {rounds}", flush=True)
    return figures


def _round(
    gateway: _Gateway, workload: Workload, figures: _Figures, seconds: float, *, keep: bool
) -> None:
    before = _cpu(gateway.process)
    outcome = load.saturate(gateway.target, workload, figures.sent, seconds)
    time.sleep(0.1)  # requests under way when the time was up
    used = _cpu(gateway.process) - before
    figures.sent += outcome.requests + load.CONNECTIONS
    if keep:  # the first round warms
        figures.outcomes.append(outcome)
        figures.cpu_us.append(used / max(1, outcome.requests) * 1e6)


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _table(gateways: Sequence[_Gateway], figures: _All, seconds: float, rounds: int) -> str:
    lines = [
        "# The gateway under several Pythons",
        "",
        f'`make bench BENCH="--interpreters PYTHON …"`: {rounds} rounds of {seconds:g} s each, by turns, {load.CONNECTIONS} connections, '
        f"{load.cores()} cores for everything. The gateway's own CPU in µs a request: median (lowest to highest); beside it how "
        "much less that is than the first one's, as the median of the rounds' ratios.",
        "",
        "| Python | load | CPU | less | requests/s | failed |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in _LOADS:
        first = figures[gateways[0].python, name]
        for item in gateways:
            found = figures[item.python, name]
            ratios = [a / b for a, b in zip(found.cpu_us, first.cpu_us, strict=True)]
            rates = [outcome.per_second for outcome in found.outcomes]
            failures = sum(outcome.failures for outcome in found.outcomes)
            lines.append(
                f"| {item.version} | {name} | {statistics.median(found.cpu_us):.1f} "
                f"({min(found.cpu_us):.1f} to {max(found.cpu_us):.1f}) | {1 - statistics.median(ratios):.0%} "
                f"| {statistics.median(rates):,.0f} | {failures} |"
            )
    return "\n".join(lines) + "\n"
