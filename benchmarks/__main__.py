"""`make bench`: our stack beside its peers in one interleaved session, as tables, bars and JSON."""

import argparse
import asyncio
import os
import platform
import time
from collections.abc import AsyncIterator, Sequence

from benchmarks import bulk, cores, growth, interpreters, load, pipelining, startup, verification
from benchmarks.catalogue import Size, parties, videos
from benchmarks.peer_servers import contestants, other_forms
from benchmarks.queries import SEARCH, workloads
from benchmarks.report import Report
from benchmarks.session import Session
from benchmarks.stack import BenchStack, running
from import_worker.catalog_writer import catalog_writer
from import_worker.domain.ingest import Record

_LARGE = 5_000_000


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="times 200,000 sponsorships")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each round")
    parser.add_argument("--quick", action="store_true", help="small data, short rounds")
    parser.add_argument("--large", action="store_true", help="also with 5 million sponsorships")
    parser.add_argument(
        "--huge",
        nargs="?",
        type=int,
        const=growth.HUGE,
        metavar="SPONSORSHIPS",
        help="only how each read tool at each filter grows from 200,000 to so many sponsorships",
    )
    parser.add_argument(
        "--cores",
        action="store_true",
        help="only what a request costs each process, and a model of many cores",
    )
    parser.add_argument(
        "--interpreters",
        nargs="+",
        metavar="PYTHON",
        help="only what a request costs the gateway under each of these Pythons, which have its dependencies",
    )
    parser.add_argument("--only", default="", help="with --huge: calls whose name contains this")
    namespace = parser.parse_args()
    if namespace.quick:
        namespace.scale, namespace.seconds = min(namespace.scale, 0.05), min(namespace.seconds, 1.0)
    return namespace


def _fill(stack: BenchStack, size: Size, report: Report) -> None:
    """Sponsors, youtubers and some videos by the ingest, whose pace is taken; the rest in bulk."""
    report.ingested = min(20_000, size.videos // 2)

    async def ingest() -> None:
        async with catalog_writer(stack.addresses.catalog_grpc, stack.credentials) as writer:
            await writer.write(parties(size))
            records = [record async for record in videos(size, report.ingested)]
            started = time.perf_counter()
            await writer.write(_iterate(records))
            report.ingest_per_second = report.ingested / (time.perf_counter() - started)

    asyncio.run(ingest())
    rest = size.videos - report.ingested
    report.bulk_seconds = bulk.add(stack.catalog_url, rest, size.share)


async def _iterate(records: Sequence[Record]) -> AsyncIterator[Record]:
    for record in records:
        yield record


def _depths(stack: BenchStack, size: Size, report: Report, namespace: argparse.Namespace) -> None:
    count = 12 if namespace.quick else 60
    report.depths += pipelining.measure(stack.target_without_memory, size, size.sponsorships, count)
    report.sizes[size.sponsorships] = bulk.sizes(stack.catalog_url)
    report.save()
    if not namespace.large:
        return
    more = _LARGE - size.sponsorships
    seconds = bulk.add(stack.catalog_url, more, 1.0)
    print(f"{more:,} more sponsorships in bulk, each with a video of its own: {seconds:.0f} s")
    report.depths += pipelining.measure(stack.target_without_memory, size, _LARGE, count)
    report.sizes[_LARGE] = bulk.sizes(stack.catalog_url)


def main() -> None:
    namespace = _arguments()
    if namespace.huge:
        print(growth.run(namespace.huge, 8 if namespace.quick else 24, namespace.only))
        return
    scale = namespace.scale
    if namespace.cores:
        print(cores.run(namespace.seconds, namespace.rounds, scale))
        return
    if namespace.interpreters:
        pythons, seconds = namespace.interpreters, namespace.seconds
        print(interpreters.run(pythons, seconds, namespace.rounds, scale))
        return
    size = Size(*(max(100, int(n * scale)) for n in (20_000, 50_000, 1_000_000, 200_000)))
    generator = "wrk" if load.has_wrk() else "an asyncio generator, which takes much CPU itself"
    if not load.has_wrk():
        print(
            "wrk is not installed (Debian: apt-get install wrk); the asyncio generator stands in."
        )
    machine = (
        f"{load.cores()} cores, {platform.machine()}, Python {platform.python_version()}, "
        f"load average {os.getloadavg()[0]:.1f} before the start"
    )
    report = Report(size, namespace.rounds, namespace.seconds, generator, machine)
    requests = workloads(size)
    with running() as stack:
        _fill(stack, size, report)
        with contestants(stack, requests[SEARCH]) as field:
            report.skipped = field.skipped
            for name, reason in field.skipped.items():
                print(f"not measured: {name}: {reason}")
            report.rows = Session(field.contenders, requests, namespace.seconds).run(
                namespace.rounds
            )
        with other_forms(stack, requests[SEARCH]) as forms:
            report.skipped = {**report.skipped, **forms.skipped}
            report.rows += Session(forms.contenders, requests, namespace.seconds).run(
                namespace.rounds
            )
        report.save()
        _depths(stack, size, report, namespace)
    report.cold_start = startup.cold_start()
    report.loadings = startup.loadings()
    report.verified = verification.run()
    print(report.save())


if __name__ == "__main__":
    main()
