"""Names of keys: those of a single server stay, those of a cluster are spread."""

from __future__ import annotations

from collections import Counter

import pytest
from redis.crc import key_slot

from servicekit.valkey_cluster_state import ClusterStateReader, cluster_run, shard_generation
from servicekit.valkey_keys import SHARDS, SINGLE, Shard, cluster_layout, layout_of

SLOTS = 16_384


def keys_of(shard: Shard) -> list[str]:
    names = [shard.usage_stream, shard.catalog_version, shard.generation, shard.write_probe]
    return [*names, shard.burst("acc_1"), shard.counter("acc_1", "2026-11", "e1")]


def test_names_on_a_single_server_are_those_of_before_there_were_clusters() -> None:
    shard = layout_of("redis://a/0").shard_of("acc_1")
    tag = "sponsorgraph:{quota}"
    assert keys_of(shard) == [
        f"{tag}:usage", f"{tag}:catalog", f"{tag}:generation", f"{tag}:writable",
        f"{tag}:burst:acc_1", f"{tag}:month:e1:acc_1:2026-11",
    ]  # fmt: skip
    assert shard.counter("acc_1", "2026-11") == f"{tag}:month:acc_1:2026-11"
    assert layout_of("redis+sentinel://a,b,c/counters") is SINGLE


def test_keys_of_a_shard_are_in_one_slot_and_each_range_of_slots_has_a_shard() -> None:
    layout = layout_of("redis+cluster://a,b,c")
    assert layout is cluster_layout()
    for index, shard in enumerate(layout.shards):
        (slot,) = {key_slot(key.encode()) for key in keys_of(shard)}
        assert slot // (SLOTS // SHARDS) == index


def test_an_account_stays_in_its_shard() -> None:
    """Other tags would be other counters: a change of these is a change of every cluster's keys."""
    found = {account: cluster_layout().shard_of(account).tag for account in ("acc_1", "acc_2")}
    assert found == {
        "acc_1": "sponsorgraph:{quota-21}",
        "acc_2": "sponsorgraph:{quota-13}",
    }


def test_accounts_are_spread_over_all_shards() -> None:
    counts = Counter(cluster_layout().shard_of(f"acc_{number}").tag for number in range(32_000))
    assert len(counts) == SHARDS
    assert max(counts.values()) < 1.2 * min(counts.values())


class Servers:
    """Stands in for the servers of all shards: what their keys say, and their run ids."""

    def __init__(self, stored: list[str], runs: list[str]) -> None:
        self._replies = list(zip(stored, runs, strict=True))

    def register_script(self, _text: str) -> Servers:
        return self

    async def run_all(self, _runs: object) -> list[tuple[bytes, bytes]]:
        return [(stored.encode(), run.encode()) for stored, run in self._replies]


RUNS = ["a"] * 16 + ["b"] * 16
RUN = cluster_run(tuple(RUNS))


@pytest.mark.parametrize(
    ("changed", "generation"),
    [
        ({}, f"e1.{RUN}"),
        ({3: ""}, ""),  # a shard was emptied
        ({3: "closed"}, ""),
        ({3: shard_generation(f"e0.{RUN}", "a")}, ""),
        ({3: shard_generation(f"e1.{RUN}", "b")}, ""),  # it came from another server
    ],
)
async def test_a_generation_is_in_use_where_all_shards_have_it(
    changed: dict[int, str], generation: str
) -> None:
    stored = [
        changed.get(index, shard_generation(f"e1.{RUN}", run)) for index, run in enumerate(RUNS)
    ]
    state = await ClusterStateReader(Servers(stored, RUNS), cluster_layout()).read()
    assert (state.generation, state.run_id) == (generation, RUN)


async def test_another_server_of_one_shard_is_another_run_with_the_old_generation() -> None:
    stored = [shard_generation(f"e1.{RUN}", run) for run in RUNS]
    state = await ClusterStateReader(Servers(stored, ["c", *RUNS[1:]]), cluster_layout()).read()
    assert state.generation == f"e1.{RUN}"
    assert state.run_id != RUN
