"""A load of bare HTTP requests over kept connections, without a client library's own cost.

Bounded in count and time, and to this machine alone.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run gave. Latencies in milliseconds."""

    requests: int
    seconds: float
    latencies_ms: tuple[float, ...]
    failures: int

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies_ms)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


async def drive(
    port: int, body: Callable[[int], bytes], key: str, *, connections: int, requests: int
) -> Outcome:
    """Sends `requests` POSTs to `/mcp`, `connections` at a time; `body` gets a running number."""
    numbers = iter(range(requests))
    latencies: list[float] = []
    failures = 0

    async def work() -> None:
        nonlocal failures
        reader, writer = await asyncio.open_connection(HOST, port)
        for number in numbers:
            content = body(number)
            started = time.perf_counter()
            writer.write(_head(key, len(content)) + content)
            status = await _response(reader)
            latencies.append((time.perf_counter() - started) * 1_000)
            failures += status != 200
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(connections)))
    return Outcome(requests, time.perf_counter() - started, tuple(latencies), failures)


def _head(key: str, length: int) -> bytes:
    return (
        f"POST /mcp HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


async def _response(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status = int(head.split(b" ", 2)[1])
    length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
    await reader.readexactly(length)
    return status
