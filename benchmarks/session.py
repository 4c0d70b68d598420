"""One interleaved session: every contender in turn, round after round."""

import statistics
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks import load
from benchmarks.load import Outcome
from benchmarks.peer_servers import Contender
from benchmarks.queries import ECHO, LIST, SAME, SEARCH, Workload

_PACED_SECONDS_AT_LEAST = 2.0


@dataclass(frozen=True, slots=True)
class Row:
    """A contender under a workload: medians over the rounds.

    Attributes:
        rps: Requests per second over all connections; with the lowest and highest of the rounds.
        p99_half_load_ms: At half of what the fastest peer reaches; the same rate for everyone.
        half_load_rps: That rate.
        cpu_us_per_request: Of all processes, engines included.
        memory_mb: Proportional set size of its own processes, without Postgres and Valkey.
    """

    contender: str
    workload: str
    rps: float
    rps_lowest: float
    rps_highest: float
    p50_ms: float
    p99_ms: float
    p99_half_load_ms: float | None
    half_load_rps: float | None
    cpu_us_per_request: float
    cpu_us_by_process: Mapping[str, float]
    memory_mb: float
    memory_mb_by_process: Mapping[str, float]
    failures: int


@dataclass(slots=True)
class _Runs:
    saturated: list[Outcome] = field(default_factory=list[Outcome])
    cpu: list[dict[str, float]] = field(default_factory=list[dict[str, float]])
    paced: list[Outcome] = field(default_factory=list[Outcome])
    requests: int = 0


class Session:
    """Measures contenders under workloads."""

    def __init__(
        self, contenders: Sequence[Contender], workloads: Mapping[str, Workload], seconds: float
    ) -> None:
        self._contenders = contenders
        self._workloads = workloads
        self._seconds = seconds
        self._runs: defaultdict[tuple[str, str], _Runs] = defaultdict(_Runs)
        self._rates: dict[str, float] = {}

    def run(self, rounds: int) -> list[Row]:
        """Warms up, saturates everyone in every round, then half the load of the fastest peer."""
        for workload, contender in self._pairs():
            self._saturate(workload, contender, min(1.0, self._seconds), keep=False)
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", flush=True)
            for workload, contender in self._pairs():
                self._saturate(workload, contender, self._seconds, keep=True)
        self._rates = self._half_loads()
        for _ in range(max(1, rounds // 2)):
            for workload, contender in self._pairs():
                self._pace(workload, contender)
        return [self._row(workload, contender) for workload, contender in self._pairs()]

    def _pairs(self) -> list[tuple[Workload, Contender]]:
        return [
            (self._workloads[name], contender)
            for name in (SEARCH, SAME, LIST, ECHO)
            for contender in self._contenders
            if name in contender.workloads
        ]

    def _saturate(
        self, workload: Workload, contender: Contender, seconds: float, *, keep: bool
    ) -> None:
        runs = self._runs[contender.name, workload.name]
        before = contender.cpu_seconds()
        outcome = load.saturate(contender.target, workload, runs.requests, seconds)
        # Requests that were under way when the time was up get a response, and their CPU counts, too.
        time.sleep(0.1)
        after = contender.cpu_seconds()
        runs.requests += outcome.requests + load.CONNECTIONS
        if keep:
            runs.saturated.append(outcome)
            requests = max(outcome.requests, 1)
            runs.cpu.append({k: (after[k] - before[k]) / requests * 1e6 for k in before})

    def _half_loads(self) -> dict[str, float]:
        """Half of what the fastest peer reached, by workload; nobody else repeats a query."""
        rates: dict[str, float] = {}
        for workload in (SEARCH, LIST):
            peers = [
                _rps(self._runs[item.name, workload].saturated)
                for item in self._contenders
                if item.is_peer and workload in item.workloads
            ]
            if peers:
                rates[workload] = max(peers) / 2
        if SEARCH in rates:
            rates[SAME] = rates[SEARCH]
        return rates

    def _pace(self, workload: Workload, contender: Contender) -> None:
        rate = self._rates.get(workload.name)
        if rate is None:
            return
        runs = self._runs[contender.name, workload.name]
        seconds = max(self._seconds, _PACED_SECONDS_AT_LEAST)
        runs.paced.append(load.paced(contender.target, workload, runs.requests, seconds, rate))
        runs.requests += runs.paced[-1].requests

    def _row(self, workload: Workload, contender: Contender) -> Row:
        runs = self._runs[contender.name, workload.name]
        rates = [outcome.per_second for outcome in runs.saturated]
        cpu = {k: round(statistics.median(item[k] for item in runs.cpu), 1) for k in runs.cpu[0]}
        memory = contender.memory_mb()
        rate = self._rates.get(workload.name)
        return Row(
            contender=contender.name,
            workload=workload.name,
            rps=round(statistics.median(rates), 1),
            rps_lowest=round(min(rates), 1),
            rps_highest=round(max(rates), 1),
            p50_ms=round(statistics.median(item.p50_ms for item in runs.saturated), 2),
            p99_ms=round(statistics.median(item.p99_ms for item in runs.saturated), 2),
            p99_half_load_ms=round(statistics.median(item.p99_ms for item in runs.paced), 2)
            if runs.paced
            else None,
            half_load_rps=None if rate is None else round(rate, 1),
            cpu_us_per_request=round(sum(cpu.values()), 1),
            cpu_us_by_process=cpu,
            memory_mb=round(sum(memory.values()), 1),
            memory_mb_by_process=memory,
            failures=sum(item.failures for item in (*runs.saturated, *runs.paced)),
        )


def _rps(outcomes: Sequence[Outcome]) -> float:
    return statistics.median(outcome.per_second for outcome in outcomes)
