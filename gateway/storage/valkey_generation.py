"""The `GenerationStore` in Valkey: one key says which lineage's counters are in use."""

from collections.abc import AsyncGenerator, Sequence
from importlib.resources import files
from typing import Any, Final

from redis.asyncio import Redis

from gateway.quota.counters import GenerationSnapshot
from gateway.quota.models import UsageEntry
from gateway.storage.ledger_writer import entry_of
from gateway.storage.valkey import CLOSED_BY, LINEAGE, USAGE_STREAM, failures_as_unavailable

_FOLDER: Final = files("gateway.storage")
_CLOSE: Final = _FOLDER.joinpath("close.lua").read_text()
_OPEN: Final = _FOLDER.joinpath("open.lua").read_text()
_PAGE: Final = 500


class ValkeyGenerationStore:
    """Asks and sets that key.

    Args:
        valkey: An open connection pool.
        closed_seconds: How long who closed it has until somebody else may.
    """

    def __init__(self, valkey: Redis, closed_seconds: float = 3.0) -> None:
        self._valkey: Any = valkey
        self._closed_ms = round(closed_seconds * 1000)

    async def look(self) -> GenerationSnapshot:
        with failures_as_unavailable():
            async with self._valkey.pipeline(transaction=False) as both:
                both.get(LINEAGE)
                both.info("server")
                lineage, server = await both.execute(raise_on_error=False)
            if isinstance(lineage, Exception):
                raise lineage
        # An operator may have forbidden INFO: then no two runs are told apart.
        run_id = "" if isinstance(server, Exception) else str(server["run_id"])
        return GenerationSnapshot(None if lineage is None else lineage.decode(), run_id)

    async def close(self, token: str) -> bool:
        with failures_as_unavailable():
            reply = await self._valkey.eval(_CLOSE, 2, LINEAGE, CLOSED_BY, token, self._closed_ms)
        return reply == 1

    async def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        first = "-"
        while True:
            with failures_as_unavailable():
                page = await self._valkey.xrange(USAGE_STREAM, min=first, count=_PAGE)
            if not page:
                return
            yield [entry_of(fields) for _, fields in page]
            first = f"({page[-1][0].decode()}"

    async def open(self, token: str, lineage: str) -> bool:
        with failures_as_unavailable():
            reply = await self._valkey.eval(_OPEN, 2, LINEAGE, CLOSED_BY, token, lineage)
        return reply == 1
