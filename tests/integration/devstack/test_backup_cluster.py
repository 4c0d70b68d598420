"""What a backup has of a Valkey cluster: the entries of all shards."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from cli.backups.errors import BackupError
from cli.backups.locations import DatabaseLocations
from cli.backups.valkey_part import (
    last_check,
    record_backup,
    record_check,
    restore_stream,
    stream_copy,
)
from cli.backups.waiting import wait_for
from devstack.ports import HOST
from servicekit.valkey import open_sync_client
from servicekit.valkey_keys import SINGLE, cluster_layout
from tests.fakes.valkey_cluster import PASSWORD, Cluster, running_cluster

ACCOUNTS = [f"account-{number}" for number in range(12)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Generator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture
def valkey(cluster: Cluster) -> Generator[Any]:
    """The cluster with a counter and a call that waits, for each account."""
    with open_sync_client(cluster.url(), socket_timeout=5) as client:
        client.flushall()
        for account_id in ACCOUNTS:
            shard = cluster_layout().shard_of(account_id)
            client.xadd(shard.usage_stream, entry(account_id))
            client.set(shard.counter(account_id, "2026-11"), 5)
            client.set(shard.burst(account_id), 5)
        yield client


def entry(account_id: str) -> dict[str, str]:
    return {"entry_id": f"call of {account_id}", "account_id": account_id, "cost": "1"}


def lines(path: Path) -> list[dict[str, str]]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return sorted(found, key=lambda item: item["entry_id"])


def pending(valkey: Any) -> list[str]:
    return sorted(
        fields[b"account_id"].decode()
        for shard in cluster_layout().shards
        for _, fields in valkey.xrange(shard.usage_stream)
    )


def test_entries_of_all_shards_are_copied_and_put_back(
    cluster: Cluster, valkey: Any, tmp_path: Path
) -> None:
    copy = tmp_path / "stream.jsonl"
    late = "account-late"
    with stream_copy(cluster.url(), copy) as read:
        read()
        valkey.xadd(cluster_layout().shard_of(late).usage_stream, entry(late))
        read()
    expected = sorted([*ACCOUNTS, late])
    assert lines(copy) == [entry(account_id) for account_id in expected]
    assert restore_stream(cluster.url(), copy) == len(expected)
    assert pending(valkey) == expected
    for account_id in ACCOUNTS:
        shard = cluster_layout().shard_of(account_id)
        keys = shard.counter(account_id, "2026-11"), shard.burst(account_id)
        assert [valkey.exists(key) for key in keys] == [0, 0]


def test_a_backup_of_a_cluster_is_put_into_a_single_server(
    cluster: Cluster, valkey: Any, fresh_valkey: str, tmp_path: Path
) -> None:
    copy = tmp_path / "stream.jsonl"
    with stream_copy(cluster.url(), copy) as read:
        read()
    assert restore_stream(fresh_valkey, copy) == len(ACCOUNTS)
    with open_sync_client(fresh_valkey) as single:
        assert single.xlen(SINGLE.shards[0].usage_stream) == len(ACCOUNTS)


def test_times_are_recorded(cluster: Cluster) -> None:
    wait_for(DatabaseLocations({}, cluster.url()), 10, lambda _problem: None)
    record_backup(cluster.url(), 1.0)
    record_check(cluster.url(), 2.0, passed=True)
    assert last_check(cluster.url()) == 2.0


def test_a_node_that_is_named_as_a_single_server_is_refused(
    cluster: Cluster, tmp_path: Path
) -> None:
    url = f"redis://:{PASSWORD}@{HOST}:{cluster.nodes[0].port}/0"
    with (
        pytest.raises(BackupError, match="redis\\+cluster://"),
        stream_copy(url, tmp_path / "stream.jsonl") as read,
    ):
        read()


def test_a_cluster_that_does_not_respond_is_named() -> None:
    with pytest.raises(BackupError, match="Valkey does not answer"):
        last_check(f"redis+cluster://{HOST}:1")
