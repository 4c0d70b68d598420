"""The `GenerationStore` in Valkey: the generation of counters in use."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

from redis.asyncio import Redis

from gateway.quota.counters import GenerationSnapshot
from gateway.quota.models import UsageEntry
from gateway.quota.valkey_ledger_writer import entry_of
from gateway.storage.valkey import GENERATION, USAGE_STREAM, failures_as_unavailable

_CLOSED: Final = "closed"
_PAGE: Final = 500


class ValkeyGenerationStore:
    """Reads and sets one key.

    Args:
        valkey: An open connection pool.
    """

    def __init__(self, valkey: Redis) -> None:
        self._valkey: Any = valkey

    async def read(self) -> GenerationSnapshot:
        with failures_as_unavailable():
            async with self._valkey.pipeline(transaction=False) as both:
                both.get(GENERATION)
                both.info("server")
                generation, server = await both.execute(raise_on_error=False)
            if isinstance(generation, Exception):
                raise generation
        # An operator may have forbidden INFO: then no two runs are told apart.
        run_id = "unknown" if isinstance(server, Exception) else str(server["run_id"])
        return GenerationSnapshot((generation or b"").decode(), run_id)

    async def close(self) -> None:
        with failures_as_unavailable():
            await self._valkey.set(GENERATION, _CLOSED)

    async def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        first = "-"
        while True:
            with failures_as_unavailable():
                page = await self._valkey.xrange(USAGE_STREAM, min=first, count=_PAGE)
            if not page:
                return
            yield [entry_of(fields) for _, fields in page]
            first = f"({page[-1][0].decode()}"

    async def open(self, generation: str) -> None:
        with failures_as_unavailable():
            await self._valkey.set(GENERATION, generation)
