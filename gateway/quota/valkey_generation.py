"""The `GenerationStore` in Valkey: the generation of counters in use."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

from redis.asyncio import Redis

from gateway.quota.counters import GenerationSnapshot
from gateway.quota.models import UsageEntry
from gateway.quota.valkey_ledger_writer import entry_of
from gateway.storage.valkey import (
    GENERATION,
    REQUEST_COUNTER,
    USAGE_STREAM,
    WRITE_PROBE,
    failures_as_unavailable,
)
from servicekit.errors import Unavailable
from servicekit.valkey_cluster import is_cluster

_CLOSED: Final = "closed"
_PAGE: Final = 500
PROBE_SECONDS: Final = 60


class ValkeyGenerationStore:
    """Reads and sets one key.

    Args:
        valkey: An open connection pool.
    """

    def __init__(self, valkey: Redis) -> None:
        self._valkey: Any = valkey

    async def read(self) -> GenerationSnapshot:
        with failures_as_unavailable(REQUEST_COUNTER):
            async with self._valkey.pipeline(transaction=False) as together:
                together.set(WRITE_PROBE, 1, ex=PROBE_SECONDS)
                together.get(GENERATION)
                together.info("server")
                written, generation, server = await together.execute(raise_on_error=False)
            for response in (written, generation):
                if isinstance(response, Exception):
                    raise response
        # An operator may have forbidden INFO: then no two runs are told apart.
        if isinstance(server, Exception):
            return GenerationSnapshot((generation or b"").decode(), "unknown")
        if is_cluster(server):
            raise Unavailable(
                "Requests cannot be counted in a node of a Valkey cluster: name it by redis+cluster://."
            )
        return GenerationSnapshot((generation or b"").decode(), str(server["run_id"]))

    async def close(self, next_generation: str) -> None:
        del next_generation  # no part of the server has it while another part does not
        with failures_as_unavailable(REQUEST_COUNTER):
            await self._valkey.set(GENERATION, _CLOSED)

    def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        return entries_of(self._valkey, USAGE_STREAM)

    async def open(self, generation: str) -> None:
        with failures_as_unavailable(REQUEST_COUNTER):
            await self._valkey.set(GENERATION, generation)


async def entries_of(valkey: Any, stream: str) -> AsyncGenerator[Sequence[UsageEntry]]:
    """Yield the entries of a stream in pages.

    Raises:
        Unavailable: Valkey does not respond.
    """
    first = "-"
    while True:
        with failures_as_unavailable(REQUEST_COUNTER):
            page = await valkey.xrange(stream, min=first, count=_PAGE)
        if not page:
            return
        yield [entry_of(fields) for _, fields in page]
        first = f"({page[-1][0].decode()}"
