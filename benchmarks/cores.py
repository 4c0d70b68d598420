"""What a request costs in CPU, by process, with one to four gateways and catalogues; and from that, many cores.

Two cores cannot show what 64 do. They show what a request costs each process, how much more that is when several of them share
Postgres and Valkey, and what has to be done one after the other. Each process is pinned to a core, gateways and catalogues by
turns, so that none moves while it is measured. The generator has no core of its own: its own CPU is not counted, and requests
per second are no result here.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

import psutil
import psycopg
from redis import Redis

from benchmarks import bulk, load, scaling
from benchmarks.catalogue import Size, parties, videos
from benchmarks.load import Target
from benchmarks.peer_servers import Contender
from benchmarks.queries import SEARCH, Workload, workloads
from benchmarks.report import FOLDER
from benchmarks.stack import BenchStack, running
from devstack.children import Child, wait_until
from devstack.clients.health import grpc_is_serving
from devstack.clients.readiness import gateway_readiness
from devstack.ports import HOST, free_port
from import_worker.catalog_writer import catalog_writer
from import_worker.domain.ingest import Record

PROCESSES: Final = (1, 2, 3, 4)
CORES: Final = (2, 8, 64, 512)
_INGESTED: Final = 20_000
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Costs:
    """What a request took with so many gateways and as many catalogues.

    Attributes:
        cpu_us: CPU by kind of process, in µs a request: the median of the rounds.
        script_us: Time of Valkey's scripts, in µs a request.
        commits: Transactions of the ledger's database, a request.
    """

    processes: int
    cpu_us: dict[str, float]
    script_us: float
    commits: float
    requests: int
    failures: int

    @property
    def total_us(self) -> float:
        return sum(self.cpu_us.values())

    @property
    def shared_us(self) -> float:
        """CPU of the parts that all gateways share."""
        return sum(us for kind, us in self.cpu_us.items() if kind not in ("gateway", "catalog"))


def run(seconds: float, rounds: int, scale: float) -> str:
    """Measure, and return the table, which is stored as well.

    Args:
        seconds: Of each round.
        rounds: With each number of processes, which take turns.
        scale: Times 200,000 sponsorships.
    """
    size = Size(*(max(100, int(n * scale)) for n in (20_000, 50_000, 1_000_000, 200_000)))
    workload = workloads(size)[SEARCH]
    with running() as stack:
        pace = asyncio.run(fill(stack, size))
        rest = size.videos - ingested(size)
        bulk.add(stack.catalog_url, rest, size.share)
        costs = _measured(stack, workload, seconds, rounds)
    text = table(costs, pace)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "cores.md").write_text(text)
    return text


def ingested(size: Size) -> int:
    """Return how many videos go through the ingest; the rest are added in bulk."""
    return min(_INGESTED, size.videos // 2)


async def fill(stack: BenchStack, size: Size) -> float:
    """Write sponsors, youtubers and some videos; return how many videos a second one writer takes."""
    count = ingested(size)
    async with catalog_writer(stack.addresses.catalog_grpc, stack.credentials) as writer:
        await writer.write(parties(size))
        records = [record async for record in videos(size, count)]
        started = time.perf_counter()
        await writer.write(_iterate(records))
        return count / (time.perf_counter() - started)


async def _iterate(records: Sequence[Record]) -> AsyncIterator[Record]:
    for record in records:
        yield record


def _measured(stack: BenchStack, workload: Workload, seconds: float, rounds: int) -> list[Costs]:
    """Measure each number of processes in each round, with all of them alive."""
    found: dict[int, list[Costs]] = {count: [] for count in PROCESSES}
    sent = 0
    with _groups(stack) as groups:
        for number in range(rounds + 1):
            for count, contender in groups.items():
                costs = _round(stack, contender, count, workload, sent, seconds)
                sent += costs.requests
                if number:  # the first one warms
                    found[count].append(costs)
            print(f"round {number} of {rounds}", flush=True)
    return [_median(costs) for costs in found.values()]


@contextmanager
def _groups(stack: BenchStack) -> Generator[dict[int, Contender]]:
    """Start so many gateways on one port, each with a catalogue of its own, for each number of processes."""
    children: list[Child] = []
    try:
        groups = {count: _group(stack, count, children) for count in PROCESSES}
        _pin([*stack.engines.values(), stack.services["auth_service"]])
        yield groups
    finally:
        for child in children:
            child.request_stop()
        for child in children:
            child.wait_stopped()


def _group(stack: BenchStack, count: int, children: list[Child]) -> Contender:
    port = free_port()
    catalogs = [free_port() for _ in range(count)]
    own: dict[str, Child] = {}
    for number, catalog_port in enumerate(catalogs):
        changed = {"CATALOG_GRPC_PORT": str(catalog_port)}
        own[f"catalog {number}"] = _child(stack, "catalog_service", f"{count}-{number}", changed)
    for number, catalog_port in enumerate(catalogs):
        changed = {
            "GATEWAY_PORT": str(port),
            "GATEWAY_SHARES_PORT": "true",
            "GATEWAY_RESULT_CACHE_BYTES": "0",
            "GATEWAY_CATALOG_TARGET": f"{HOST}:{catalog_port}",
        }
        own[f"gateway {number}"] = _child(stack, "gateway", f"{count}-{number}", changed)
    for child in own.values():
        children.append(child)
        child.start()
    wait_until(
        lambda: (
            all(grpc_is_serving(f"{HOST}:{item}") for item in catalogs)
            and bool((found := gateway_readiness(f"{HOST}:{port}")) and found["ready"])
        ),
        list(own.values()),
        f"The start of {count} gateways and catalogues",
        120,
    )
    processes = {name: psutil.Process(child.pid) for name, child in own.items()}
    _pin(list(processes.values()))
    return Contender(
        name=str(count),
        target=Target(port, stack.api_key),
        own={**processes, "auth service": stack.services["auth_service"]},
        engines=stack.engines,
        workloads=frozenset({SEARCH}),
    )


def _child(stack: BenchStack, name: str, number: str, changed: dict[str, str]) -> Child:
    environment = {**stack.environments[name], **changed}
    return Child(f"{name}-{number}", [name], environment, stack.folder / f"{name}-{number}.log")


def _pin(processes: Sequence[psutil.Process]) -> None:
    """Give each process, with its children, one of the cores that this one may use, by turns."""
    cores = psutil.Process().cpu_affinity() or list(range(load.cores()))
    for number, process in enumerate(processes):
        core = [cores[number % len(cores)]]
        if process.name().startswith("postgres"):
            continue  # a process for each connection: together they are what is measured
        for item in (process, *process.children(recursive=True)):
            item.cpu_affinity(core)


def _round(
    stack: BenchStack,
    contender: Contender,
    count: int,
    workload: Workload,
    first: int,
    seconds: float,
) -> Costs:
    before, script, commits = contender.cpu_seconds(), _script_us(stack), _commits(stack)
    outcome = load.saturate(contender.target, workload, first, seconds, load.CONNECTIONS * count)
    after = contender.cpu_seconds()
    requests = max(1, outcome.requests)
    cpu: dict[str, float] = {}
    for name, value in after.items():
        kind = name.rstrip(" 0123456789")
        cpu[kind] = cpu.get(kind, 0.0) + (value - before[name]) / requests * _MILLION
    return Costs(
        count,
        cpu,
        (_script_us(stack) - script) / requests,
        (_commits(stack) - commits) / requests,
        outcome.requests,
        outcome.failures,
    )


def _script_us(stack: BenchStack) -> float:
    """Return the time that Valkey has spent in scripts, in µs."""
    url = stack.environments["gateway"]["GATEWAY_VALKEY_URL"]
    client = cast("Any", Redis).from_url(url)
    with client:
        found: dict[str, dict[str, float]] = client.info("commandstats")
    return sum(
        figures["usec"]
        for name, figures in found.items()
        if name.startswith(("cmdstat_eval", "cmdstat_fcall"))
    )


def _commits(stack: BenchStack) -> float:
    url = stack.environments["auth_service"]["AUTH_DATABASE_URL"]
    with psycopg.connect(url.replace("postgresql+psycopg", "postgresql")) as connection:
        row = connection.execute(
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    return float(row[0]) if row else 0.0


def _median(costs: Sequence[Costs]) -> Costs:
    return Costs(
        costs[0].processes,
        {kind: statistics.median(item.cpu_us[kind] for item in costs) for kind in costs[0].cpu_us},
        statistics.median(item.script_us for item in costs),
        statistics.median(item.commits for item in costs),
        sum(item.requests for item in costs),
        sum(item.failures for item in costs),
    )


def table(costs: Sequence[Costs], ingested: float) -> str:
    """Return the figures and the model of many cores as Markdown."""
    kinds = list(costs[0].cpu_us)
    lines = [
        "# Many cores",
        "",
        "`make bench BENCH=--cores`: `sponsor.search`, every question different, no cached answers; CPU in µs a request by kind of",
        "process, each process pinned to one core (Postgres' are not), all groups alive and measured by turns, with "
        f"{load.CONNECTIONS} connections for each gateway: fewer for each would find fewer calls to take together. On "
        f"{load.cores()} cores, which the generator used too.",
        "",
        "| gateways and catalogues | " + " | ".join(kinds) + " | all | requests | failed |",
        "| --- | " + " | ".join("---" for _ in kinds) + " | --- | --- | --- |",
    ]
    lines += [
        f"| {item.processes} | "
        + " | ".join(f"{item.cpu_us[kind]:,.0f}" for kind in kinds)
        + f" | {item.total_us:,.0f} | {item.requests:,} | {item.failures} |"
        for item in costs
    ]
    return "\n".join([*lines, "", *_model(costs, ingested)]) + "\n"


def _model(costs: Sequence[Costs], ingested: float) -> list[str]:
    single = costs[0]
    valkey = statistics.median(item.cpu_us["valkey"] for item in costs)
    script = statistics.median(item.script_us for item in costs)
    commits = statistics.median(item.commits for item in costs)
    shared = scaling.fitted({item.processes: item.shared_us for item in costs})
    everything = scaling.fitted({item.processes: item.total_us for item in costs})
    # A gateway that keeps a core busy keeps so many cores busy with all the other parts.
    cores_each = single.total_us / max(single.cpu_us["gateway"], single.cpu_us["catalog"])
    rows: list[str] = []
    for cores in CORES:
        count = max(1.0, cores / cores_each)
        own = single.total_us - single.shared_us
        expected = cores * _MILLION / (own + single.shared_us * count / shared.capacity(count))
        cautious = everything.capacity(count) / count * cores * _MILLION / single.total_us
        bound = "Valkey" if expected > _MILLION / valkey else "CPU"
        rows.append(
            f"| {cores} | {count:,.0f} | {expected:,.0f} | {min(expected, _MILLION / valkey):,.0f} | {bound} | {cautious:,.0f} |"
        )
    return [
        "## What is done one after the other",
        "",
        "| part | measured | so it ends at |",
        "| --- | --- | --- |",
        f"| Valkey, one thread for all accounts | {valkey:.1f} µs of its process a request, {script:.1f} of them in the quota's script "
        f"| {_MILLION / valkey:,.0f} requests a second (by the script alone {_MILLION / max(script, 0.01):,.0f}) |",
        f"| the ledger, one transaction for a batch | {commits:.4f} transactions a request | grows with gateways and accounts, "
        "and not with requests; those of one account wait for each other |",
        f"| the catalogue's writer, one at a time | {ingested:,.0f} videos a second while the stack was idle | so many, whatever cores "
        "there are; reads go on beside it |",
        "",
        "## Model",
        "",
        f"Universal scalability law, fitted to the CPU of a request with {', '.join(str(item.processes) for item in costs)} gateways. Of "
        f"the parts that all share (auth service, Postgres, Valkey): {_words(shared)}. Of everything: {_words(everything)}; but on "
        "two cores that has in it how more than two processes take turns, which they do not where each has a core.",
        "",
        "| cores | gateways, and as many catalogues | requests a second by CPU | with one Valkey | bound by | all growing as here |",
        "| --- | --- | --- | --- | --- | --- |",
        *rows,
        "",
        "Assumptions: each gateway and each catalogue has a core; their own cost of a request does not depend on how many others "
        "there are; that of the shared parts goes on as the law says; Postgres is read from as many servers as it needs; the "
        "generator runs elsewhere; a core there is a core here. Beyond eight cores these are figures of a model, and no measurement.",
    ]


def _words(law: scaling.Scalability) -> str:
    return f"contention {law.contention:.4f}, coherency {law.coherency:.5f}"
