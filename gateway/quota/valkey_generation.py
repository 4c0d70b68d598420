"""The `GenerationStore` in Valkey: the generation of counters in use, and the gateways present."""

from collections.abc import AsyncGenerator, Sequence
from importlib.resources import files
from typing import Any, Final

from redis.asyncio import Redis

from gateway.quota.counters import GenerationSnapshot
from gateway.quota.models import UsageEntry
from gateway.quota.valkey_ledger_writer import entry_of
from gateway.storage.valkey import GENERATION, PRESENT, USAGE_STREAM, failures_as_unavailable

_HEARTBEAT: Final = files("gateway.quota").joinpath("heartbeat.lua").read_text()
_CLOSED: Final = "closed"
_PAGE: Final = 500


class ValkeyGenerationStore:
    """Reads and sets one key, and keeps one sorted set.

    Args:
        valkey: An open connection pool.
    """

    def __init__(self, valkey: Redis) -> None:
        self._valkey: Any = valkey

    async def read(
        self, gateway_id: str, leased: Sequence[str] | None = None
    ) -> GenerationSnapshot:
        with failures_as_unavailable():
            async with self._valkey.pipeline(transaction=False) as both:
                known = () if leased is None else leased
                has_leases = "" if leased is None else "1"
                both.eval(_HEARTBEAT, 2, GENERATION, PRESENT, gateway_id, has_leases, *known)
                both.info("server")
                found, server = await both.execute(raise_on_error=False)
            if isinstance(found, Exception):
                raise found
        # An operator may have forbidden INFO: then no two runs are told apart.
        run_id = "unknown" if isinstance(server, Exception) else str(server["run_id"])
        generation, away_ms = found
        return GenerationSnapshot(generation.decode(), run_id, away_ms / 1000)

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

    async def leave(self, gateway_id: str) -> None:
        with failures_as_unavailable():
            await self._valkey.zrem(PRESENT, gateway_id)
