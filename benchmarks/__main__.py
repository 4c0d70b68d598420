"""`make bench`: requests per second, latency and CPU per request of every process, as a table."""

import argparse
import asyncio
import json
import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import verification
from benchmarks.catalogue import Size, name, records
from benchmarks.load import Outcome, drive
from benchmarks.stack import BenchStack, running
from import_worker.app import catalog_writer

RESULTS = Path(__file__).parent / "results"
_CONNECTIONS = 32


@dataclass(frozen=True, slots=True)
class Row:
    """One workload: medians over the rounds. CPU in microseconds a request, by process."""

    contender: str
    workload: str
    rps: float
    rps_lowest: float
    rps_highest: float
    p50_ms: float
    p99_ms: float
    cpu_us_per_request: float
    cpu_us_by_process: dict[str, float]
    failures: int


def _call(tool: str, arguments: Callable[[int], dict[str, Any]]) -> Callable[[int], bytes]:
    def body(number: int) -> bytes:
        params = {"name": tool, "arguments": arguments(number)}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        return json.dumps(message).encode()

    return body


def _list(number: int) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/list"}).encode()


def _workloads(size: Size) -> dict[str, Callable[[int], bytes]]:
    return {
        "tools/list": _list,
        "sponsor.search": _call(
            "sponsor.search", lambda n: {"search": name(n * 7919 % size.sponsors)[:-1]}
        ),
        "sponsor.top, a category and half a year": _call(
            "sponsor.top",
            lambda n: {
                "category": ("security", "games", "food", "finance")[n % 4],
                "from": f"{2022 + n % 4}-01-01",
                "to": f"{2022 + n % 4}-06-30",
            },
        ),
    }


def _measure(stack: BenchStack, workload: str, body: Callable[[int], bytes], args: Any) -> Row:
    outcomes: list[Outcome] = []
    cpu: list[dict[str, float]] = []
    asyncio.run(_drive(stack, body, args.requests // 4))
    for _ in range(args.rounds):
        before = stack.cpu_seconds()
        outcomes.append(asyncio.run(_drive(stack, body, args.requests)))
        after = stack.cpu_seconds()
        cpu.append({k: (after[k] - before[k]) / args.requests * 1e6 for k in before})
    by_process = {k: round(statistics.median(c[k] for c in cpu), 1) for k in cpu[0]}
    rates = [outcome.per_second for outcome in outcomes]
    return Row(
        contender="sponsorgraph",
        workload=workload,
        rps=round(statistics.median(rates), 1),
        rps_lowest=round(min(rates), 1),
        rps_highest=round(max(rates), 1),
        p50_ms=round(statistics.median(o.percentile(0.5) for o in outcomes), 2),
        p99_ms=round(statistics.median(o.percentile(0.99) for o in outcomes), 2),
        cpu_us_per_request=round(sum(by_process.values()), 1),
        cpu_us_by_process=by_process,
        failures=sum(outcome.failures for outcome in outcomes),
    )


async def _drive(stack: BenchStack, body: Callable[[int], bytes], requests: int) -> Outcome:
    return await drive(stack.port, body, stack.api_key, connections=_CONNECTIONS, requests=requests)


async def _fill(stack: BenchStack, size: Size) -> None:
    async with catalog_writer(stack.addresses.catalog_grpc) as writer:
        report = await writer.write(records(size))
    print(f"filled: {report.created:,} rows made, {len(report.rejected)} refused")


def _table(rows: list[Row], size: Size, args: Any) -> str:
    head = (
        "# Measurements\n\n"
        f"Written by `make bench`: {size.sponsors:,} sponsors, {size.youtubers:,} youtubers, "
        f"{size.sponsorships:,} sponsorships; {_CONNECTIONS} connections, medians of {args.rounds} "
        f"rounds of {args.requests:,} requests; quota, ledger and logs on. The load generator runs on "
        "the same machine. Trust ratios within the table, not absolute figures.\n\n"
    )
    names = list(rows[0].cpu_us_by_process)
    columns = ["workload", "requests/s", "lowest–highest", "p50 ms", "p99 ms", "CPU µs/request"]
    lines = ["| " + " | ".join([*columns, *names, "failures"]) + " |"]
    lines.append("| " + " | ".join("---" for _ in range(len(columns) + len(names) + 1)) + " |")
    for row in rows:
        cells = [
            row.workload,
            f"{row.rps:,.0f}",
            f"{row.rps_lowest:,.0f}–{row.rps_highest:,.0f}",
            f"{row.p50_ms}",
            f"{row.p99_ms}",
            f"{row.cpu_us_per_request:,.0f}",
            *(f"{row.cpu_us_by_process[name]:,.0f}" for name in names),
            str(row.failures),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return head + "\n".join(lines) + "\n"


def _verified(found: verification.Verification) -> str:
    return (
        f"\nAn access token is verified in {found.cached_us:.1f} µs when it was seen before, and in "
        f"{found.new_us:.0f} µs when it is new and its grant is known; the auth service is asked "
        f"{found.calls_for_new} times for the new ones.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="times 200,000 sponsorships")
    parser.add_argument("--requests", type=int, default=4_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    size = Size(int(20_000 * args.scale), int(50_000 * args.scale), int(200_000 * args.scale))
    with running() as stack:
        asyncio.run(_fill(stack, size))
        rows = [
            _measure(stack, workload, body, args) for workload, body in _workloads(size).items()
        ]
    table = _table(rows, size, args) + _verified(verification.run())
    print(table)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "latest.md").write_text(table)
    (RESULTS / "latest.json").write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
