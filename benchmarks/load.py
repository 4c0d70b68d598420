"""Load on one address of this machine: `wrk` for saturation, and a schedule for what is below it.

Without `wrk` an asyncio generator stands in; it takes more CPU than wrk, which shows in the figures
of the fastest contenders. All runs are bounded in time, and go to this machine alone.
"""

import asyncio
import gzip
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.queries import HEADERS, Workload

HOST: Final = "127.0.0.1"
CONNECTIONS: Final = 32
_SCRIPT: Final = Path(__file__).with_name("post.lua")
_PACKED: Final = b"\x1f\x8b"
"""The first bytes of a body that is compressed by gzip (RFC 1952)."""


@dataclass(frozen=True, slots=True)
class Target:
    """The address of a contender, and its bearer token."""

    port: int
    token: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one run."""

    requests: int
    seconds: float
    p50_ms: float
    p99_ms: float
    failures: int

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


def has_wrk() -> bool:
    return shutil.which("wrk") is not None


def saturate(
    target: Target, workload: Workload, first: int, seconds: float, connections: int = CONNECTIONS
) -> Outcome:
    """As many requests as come through over all connections, from the workload's `first` one on."""
    if has_wrk():
        return _wrk(target, workload, first, seconds, connections)
    bodies = _bodies(workload, first)
    return asyncio.run(_drive(target, bodies, seconds, None, connections))


def paced(target: Target, workload: Workload, first: int, seconds: float, rate: float) -> Outcome:
    """So many requests a second; a latency counts from the moment that the schedule says."""
    return asyncio.run(_drive(target, _bodies(workload, first), seconds, rate, CONNECTIONS))


def _bodies(workload: Workload, first: int) -> Callable[[int], bytes]:
    return lambda number: workload.body(first + number)


def sequence(target: Target, body: Callable[[int], bytes], count: int) -> Outcome:
    """`count` requests one after the other over one connection."""

    async def run() -> Outcome:
        reader, writer = await asyncio.open_connection(HOST, target.port)
        latencies: list[float] = []
        failures = 0
        started = time.perf_counter()
        for number in range(count):
            sent = time.perf_counter()
            failures += not await _send(reader, writer, target, body(number))
            latencies.append((time.perf_counter() - sent) * 1_000)
        writer.close()
        return _outcome(time.perf_counter() - started, latencies, failures)

    return asyncio.run(run())


async def send(target: Target, body: bytes) -> bytes:
    """One request's response, which must be a 200."""
    reader, writer = await asyncio.open_connection(HOST, target.port)
    writer.write(_head(target, len(body)) + body)
    status, response = await _response(reader)
    writer.close()
    if status != 200:
        raise OSError(f"status {status}: {response[:300].decode(errors='replace')}")
    return gzip.decompress(response) if response.startswith(_PACKED) else response


def _wrk(
    target: Target, workload: Workload, first: int, seconds: float, connections: int
) -> Outcome:
    headers = [part for pair in HEADERS.items() for part in pair]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as words:
        words.write("\n".join(workload.words) + "\n")
        words.flush()
        command = [
            *("wrk", "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "--timeout", "10s"),
            *("-s", str(_SCRIPT), f"http://{HOST}:{target.port}/mcp", "--"),
            *(words.name, str(first), target.token, workload.before, workload.after, *headers),
        ]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
    for line in ended.stdout.splitlines():
        if line.startswith("FIGURES "):
            requests, micros, p50, p99, failures = map(float, line.split()[1:])
            return Outcome(int(requests), micros / 1e6, p50 / 1e3, p99 / 1e3, int(failures))
    raise OSError(f"wrk told no figures: {ended.stdout[-300:]}{ended.stderr[-300:]}")


async def _drive(
    target: Target,
    body: Callable[[int], bytes],
    seconds: float,
    rate: float | None,
    connections: int,
) -> Outcome:
    latencies: list[float] = []
    failures = 0
    started = time.perf_counter()
    turns = _turns(started, seconds, rate)

    async def work() -> None:
        nonlocal failures
        reader, writer = await asyncio.open_connection(HOST, target.port)
        for number, due in turns:
            wait = due - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            failures += not await _send(reader, writer, target, body(number))
            latencies.append((time.perf_counter() - due) * 1_000)
        writer.close()

    await asyncio.gather(*(work() for _ in range(connections)))
    return _outcome(time.perf_counter() - started, latencies, failures)


def _turns(started: float, seconds: float, rate: float | None) -> Iterator[tuple[int, float]]:
    """Number and due time of each request; without a rate, each is due when it is taken."""
    number = 0
    while True:
        due = time.perf_counter() if rate is None else started + number / rate
        if due >= started + seconds:
            return
        yield number, due
        number += 1


def _outcome(seconds: float, latencies: list[float], failures: int) -> Outcome:
    ordered = sorted(latencies) or [0.0]

    def percentile(share: float) -> float:
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]

    return Outcome(len(latencies), seconds, percentile(0.5), percentile(0.99), failures)


async def _send(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: Target, body: bytes
) -> bool:
    writer.write(_head(target, len(body)) + body)
    status, response = await _response(reader)
    if status != 200:
        return False
    # Errors never come compressed, and to unpack every list would take the contenders' time.
    is_result = b'"result":' in response and b'"isError":true' not in response
    return response.startswith(_PACKED) or is_result


def _head(target: Target, length: int) -> bytes:
    fields = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    return (
        f"POST /mcp HTTP/1.1\r\nHost: {HOST}:{target.port}\r\n"
        f"Authorization: Bearer {target.token}\r\n{fields}"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


async def _response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status = int(head.split(b" ", 2)[1])
    if b"transfer-encoding: chunked" in head:
        return status, await _chunks(reader)
    length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
    return status, await reader.readexactly(length)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    while size := int(await reader.readline(), 16):
        parts.append((await reader.readexactly(size + 2))[:-2])
    await reader.readline()
    return b"".join(parts)


def cores() -> int:
    return os.cpu_count() or 1
