"""What of Valkey a backup has: admitted calls that the usage ledger does not have yet.

Nothing else is needed. Month counters are rebuilt from the ledger at the first call of an account;
bursts, throttles and YouTube's units of the day begin anew.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import redis

from local_stack.backups.archive import BackupError

_TAG: Final = "sponsorgraph:{quota}"
_STREAM: Final = f"{_TAG}:usage"
_COUNTERS: Final = (f"{_TAG}:month:*", f"{_TAG}:burst:*")
_PAGE: Final = 1_000
_redis: Any = redis.Redis  # its stubs are partial


def save_stream(url: str, target: Path) -> int:
    """Writes the stream's entries as JSON lines; returns how many."""
    count = 0
    with _client(url) as valkey, target.open("wb") as file:
        after = "-"
        while entries := valkey.xrange(_STREAM, min=after, count=_PAGE):
            for _, fields in entries:
                plain = {key.decode(): value.decode() for key, value in fields.items()}
                file.write(msgspec.json.encode(plain) + b"\n")
            count += len(entries)
            after = f"({entries[-1][0].decode()}"
    return count


def restore_stream(url: str, source: Path | None) -> int:
    """Puts the entries in place of those there are, and forgets the counters."""
    with _client(url) as valkey:
        valkey.delete(_STREAM)
        for pattern in _COUNTERS:
            for key in valkey.scan_iter(pattern, count=_PAGE):
                valkey.delete(key)
        if source is None:
            return 0
        lines = source.read_bytes().splitlines()
        for line in lines:
            valkey.xadd(_STREAM, msgspec.json.decode(line, type=dict[str, str]))
        return len(lines)


@contextmanager
def _client(url: str) -> Generator[Any]:
    try:
        with _redis.from_url(url, socket_timeout=10) as valkey:
            yield valkey
    except redis.RedisError as error:
        raise BackupError(f"Valkey does not answer: {error}") from error
