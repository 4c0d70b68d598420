"""The part of a backup that is in Valkey: admitted calls that the usage ledger does not have yet.

Nothing else is needed. Month counters are rebuilt from the ledger at the first call of an account;
bursts, throttles and YouTube's units of the day begin anew.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import redis
from redis.exceptions import RedisClusterException

from cli.backups.errors import BackupError, DamagedBackupError
from servicekit.valkey import open_sync_client
from servicekit.valkey_cluster import is_cluster
from servicekit.valkey_keys import KeyLayout, layout_of
from servicekit.valkey_url import is_cluster_url

_LAST_BACKUP: Final = "sponsorgraph:last_backup"
"""When a backup was made last; the auth service shows it as a metric."""

_LAST_CHECK: Final = "sponsorgraph:last_backup_check"
_LAST_FAILED_CHECK: Final = "sponsorgraph:last_failed_backup_check"
"""When a restored backup was found good, and when not."""

_PAGE: Final = 1_000


@contextmanager
def stream_copy(url: str, target: Path) -> Generator[Callable[[], None]]:
    """Copy the stream's entries to `target` as JSON lines.

    Each call of what it gives adds those that have come since the one before, up to the newest of
    that moment.
    """
    after: dict[str, str] = {}
    with _client(url) as valkey, target.open("wb") as file:

        def read() -> None:
            for shard in layout_of(url).shards:
                read_shard(shard.usage_stream)

        def read_shard(stream: str) -> None:
            newest = valkey.xrevrange(stream, count=1)
            last = newest[0][0].decode() if newest else "0"
            while entries := valkey.xrange(
                stream, min=after.get(stream, "-"), max=last, count=_PAGE
            ):
                for _, fields in entries:
                    plain = {key.decode(): value.decode() for key, value in fields.items()}
                    file.write(msgspec.json.encode(plain) + b"\n")
                after[stream] = f"({entries[-1][0].decode()}"

        yield read


def record_backup(url: str, at: float) -> None:
    """Leave the time of a good backup where the metrics have it from."""
    with _client(url) as valkey:
        valkey.set(_LAST_BACKUP, str(at))


def record_check(url: str, at: float, *, passed: bool) -> None:
    """Leave the time of a check beside it."""
    with _client(url) as valkey:
        valkey.set(_LAST_CHECK if passed else _LAST_FAILED_CHECK, str(at))


def last_check(url: str) -> float:
    """Return the time of the last check that a backup passed; 0 if none is known or one has failed since."""
    with _client(url) as valkey:
        passed, failed = (float(valkey.get(key) or 0) for key in (_LAST_CHECK, _LAST_FAILED_CHECK))
        return passed if passed > failed else 0


def restore_stream(url: str, source: Path | None) -> int:
    """Put the entries in place of those there are, and forget the counters.

    A backup of a single server may be restored into a cluster, and the other way round.
    """
    layout = layout_of(url)
    with _client(url) as valkey:
        for shard in layout.shards:
            valkey.delete(shard.usage_stream)
        # A cluster scans all its primaries, whichever shards they have.
        for pattern in _patterns(layout):
            for key in valkey.scan_iter(pattern, count=_PAGE):
                valkey.delete(key)
        if source is None:
            return 0
        count = 0
        for entry in _entries(source):
            valkey.xadd(layout.shard_of(entry.get("account_id", "")).usage_stream, entry)
            count += 1
        return count


def _patterns(layout: KeyLayout) -> Generator[str]:
    """Yield the patterns of the names of counters and burst buckets."""
    tag = "sponsorgraph:{quota-*}" if layout.is_sharded else layout.shards[0].tag
    yield f"{tag}:month:*"
    yield f"{tag}:burst:*"


def check_stream(source: Path) -> None:
    """Read all entries, before anything is changed.

    Raises:
        BackupError: One of them is none.
    """
    for _ in _entries(source):
        pass


def _entries(source: Path) -> Generator[dict[str, str]]:
    with source.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield msgspec.json.decode(line, type=dict[str, str])
            except msgspec.DecodeError as error:
                raise DamagedBackupError(f"Line {number} of {source.name} is no entry.") from error


@contextmanager
def _client(url: str) -> Generator[Any]:
    try:
        with open_sync_client(url, socket_timeout=10) as valkey:
            if not is_cluster_url(url):
                _refuse_node(valkey)
            yield valkey
    except (redis.RedisError, RedisClusterException) as error:
        raise BackupError(f"Valkey does not answer: {error}") from error


def _refuse_node(valkey: Any) -> None:
    """Refuse a node of a cluster that is named as a single server: it has some of the entries alone."""
    try:
        server = valkey.info("server")
    except redis.ResponseError:  # an operator may have forbidden INFO
        return
    if is_cluster(server):
        raise BackupError(
            "The URL of Valkey names a node of a cluster as if it were a single server. Name nodes of the cluster: "
            "redis+cluster://a:6379,b:6379,c:6379."
        )
