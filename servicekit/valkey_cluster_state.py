"""The generation of the counters in a cluster, and the run of the cluster that has them.

Each shard's key names the generation and the run id of the server that had it then. A replica that was promoted,
or a node that got the slot, has the key too, but another run id. The run of a cluster is made of the run ids of the servers
of all shards: when the server of one shard is another, it is another run, and the counters of all begin anew.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from servicekit.valkey_keys import KeyLayout, Shard

_RUN_LENGTH: Final = 40

# KEYS 1 the generation   2 the write probe   3 a key that is never there, where the probe is written: while a slot is
#      moved key by key its node refuses scripts that name such a key, as those that count do
# ARGV 1 seconds that the probe is stored, "" to write none
# Gives the shard's generation and the run id of its server, "" where INFO is forbidden.
_STATE: Final = """
if ARGV[1] ~= '' then
  redis.call('SET', KEYS[2], 1, 'EX', ARGV[1])
end
local server = redis.pcall('INFO', 'server')
local run = type(server) == 'string' and string.match(server, 'run_id:(%w+)')
return { redis.call('GET', KEYS[1]) or '', run or '' }
"""


@dataclass(frozen=True, slots=True)
class ClusterState:
    """The state of all shards.

    Attributes:
        generation: The generation that all shards have; "" where they differ.
        runs: The run ids of the shards' servers; "" of one that forbids INFO.
    """

    generation: str
    runs: tuple[str, ...]

    @property
    def run_id(self) -> str:
        """The run of the cluster."""
        return cluster_run(self.runs)


class ClusterStateReader:
    """Reads the state of all shards, each in one step of its server.

    Args:
        client: Of a cluster.
        layout: Its shards.
        probe_seconds: How long the write probe is stored; None to read alone.
    """

    def __init__(self, client: Any, layout: KeyLayout, *, probe_seconds: int | None = None) -> None:
        self._script: Any = client.register_script(_STATE)
        self._layout = layout
        self._probes = probe_seconds is not None
        self._arguments = ("" if probe_seconds is None else probe_seconds,)

    async def read(self) -> ClusterState:
        """Return the state.

        Raises:
            RedisError: A primary does not respond, refuses to write, or gives a slot away key by key.
        """
        found: list[tuple[bytes, bytes]] = await self._script.run_all(
            [(self._keys(shard), self._arguments) for shard in self._layout.shards]
        )
        runs = tuple(run.decode() for _, run in found)
        return ClusterState(_common([stored.decode() for stored, _ in found], runs), runs)

    def _keys(self, shard: Shard) -> tuple[str, ...]:
        keys = shard.generation, shard.write_probe
        return (*keys, shard.counters()) if self._probes else keys


def _common(stored: Sequence[str], runs: tuple[str, ...]) -> str:
    """Return the generation of all shards; "" where they differ, or where one is of another run of its server alone."""
    generations = {value.partition("/")[0] for value in stored}
    generation = generations.pop()
    is_of_this_run = generation.endswith(f".{cluster_run(runs)}")
    are_open = all(
        value == shard_generation(generation, run) for value, run in zip(stored, runs, strict=True)
    )
    return "" if generations or (is_of_this_run and not are_open) else generation


def cluster_run(runs: tuple[str, ...]) -> str:
    """Return the run of a cluster from the run ids of its shards' servers, in the order of shards."""
    return hashlib.sha256(",".join(runs).encode()).hexdigest()[:_RUN_LENGTH]


def shard_generation(generation: str, run: str) -> str:
    """Return what a shard's key says of a generation in a run of its server."""
    return f"{generation}/{run}"
