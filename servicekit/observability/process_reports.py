"""Reports of the processes of a deployment, in Valkey: what runs, in which version, since when.

Each process writes its own every few seconds, so that whoever reads them needs no way to the process itself.
"""

import json
import os
import socket
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from servicekit.observability.gauges import polling

KEY: Final = "sponsorgraph:processes"
EVERY_SECONDS: Final = 10.0
FORGOTTEN_AFTER_SECONDS: Final = 3_600.0
"""A process that ended without saying so is shown as silent for so long."""


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """One process: `instance` is its host and process id, times are seconds since 1970."""

    service: str
    instance: str
    version: str
    started_at: float
    seen_at: float
    facts: Mapping[str, str]


@asynccontextmanager
async def reporting(
    valkey: Redis, service: str, facts: Mapping[str, str] | None = None
) -> AsyncGenerator[None]:
    """Report this process until the block ends; without Valkey it is not reported."""
    client: Any = valkey
    instance = f"{socket.gethostname()}:{os.getpid()}"
    name = f"{service}@{instance}"
    started_at = time.time()

    async def report() -> None:
        found = ProcessReport(
            service, instance, version("sponsorgraph"), started_at, time.time(), facts or {}
        )
        await client.hset(KEY, name, json.dumps(asdict(found)))

    async with polling("process report", report, EVERY_SECONDS):
        try:
            yield
        finally:
            with suppress(RedisError, OSError):
                await client.hdel(KEY, name)


async def process_reports(valkey: Redis) -> Sequence[ProcessReport]:
    """Return the newest report of each process, by service; forget those that have long been silent."""
    client: Any = valkey
    stored: dict[bytes | str, bytes] = await client.hgetall(KEY)
    found: list[ProcessReport] = []
    oldest = time.time() - FORGOTTEN_AFTER_SECONDS
    for field, value in stored.items():
        try:
            report = ProcessReport(**json.loads(value))
        except (ValueError, TypeError):  # of another version
            continue
        if report.seen_at < oldest:
            await client.hdel(KEY, field)
        else:
            found.append(report)
    return sorted(found, key=lambda report: (report.service, report.started_at))
