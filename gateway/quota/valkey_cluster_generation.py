"""The `GenerationStore` in a Valkey cluster: the generation of counters in use, in each shard.

A shard opens once its own stream is in the ledger, as an account's calls are in its shard alone.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

from gateway.quota.counters import GenerationSnapshot
from gateway.quota.models import UsageEntry
from gateway.quota.valkey_generation import PROBE_SECONDS, entries_of
from gateway.storage.valkey import REQUEST_COUNTER, failures_as_unavailable
from servicekit.errors import Unavailable
from servicekit.valkey_cluster_client import all_of
from servicekit.valkey_cluster_state import ClusterStateReader, cluster_run, shard_generation
from servicekit.valkey_keys import KeyLayout

# KEYS 1 the generation   ARGV 1 what it is when it is open already
_CLOSE: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  redis.call('SET', KEYS[1], 'closed')
end
return 1
"""


class ClusterGenerationStore:
    """Reads and sets a key of each shard.

    Args:
        valkey: A client of the cluster.
        layout: Its shards.
    """

    def __init__(self, valkey: Any, layout: KeyLayout) -> None:
        self._valkey = valkey
        self._layout = layout
        self._state = ClusterStateReader(valkey, layout, probe_seconds=PROBE_SECONDS)
        self._close: Any = valkey.register_script(_CLOSE)
        self._runs: tuple[str, ...] = ()

    async def read(self) -> GenerationSnapshot:
        with failures_as_unavailable(REQUEST_COUNTER):
            state = await self._state.read()
        if not all(state.runs):
            raise Unavailable(
                "Requests cannot be counted in a Valkey cluster whose nodes forbid INFO in scripts."
            )
        self._runs = state.runs
        return GenerationSnapshot(state.generation, state.run_id)

    async def close(self, next_generation: str) -> None:
        with failures_as_unavailable(REQUEST_COUNTER):
            await all_of(
                self._close((key,), (value,)) for key, value in self._opened(next_generation)
            )

    async def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        for shard in self._layout.shards:
            async for page in entries_of(self._valkey, shard.usage_stream):
                yield page

    async def open(self, generation: str) -> None:
        with failures_as_unavailable(REQUEST_COUNTER):
            await all_of(self._valkey.set(key, value) for key, value in self._opened(generation))

    def _opened(self, generation: str) -> list[tuple[str, str]]:
        """Return the keys of all shards with what they are under a generation.

        Raises:
            Unavailable: The servers of the last `read` are not those of the generation.
        """
        if generation.partition(".")[2] != cluster_run(self._runs):
            raise Unavailable("The Valkey cluster has other servers now.", retry_after=1.0)
        return [
            (shard.generation, shard_generation(generation, run))
            for shard, run in zip(self._layout.shards, self._runs, strict=True)
        ]
