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

from cli.backups.archive import BackupError

_TAG: Final = "sponsorgraph:{quota}"
_STREAM: Final = f"{_TAG}:usage"
_COUNTERS: Final = (f"{_TAG}:month:*", f"{_TAG}:burst:*")
_PAGE: Final = 1_000
_redis: Any = redis.Redis  # its stubs are partial


@contextmanager
def stream_copy(url: str, target: Path) -> Generator[Callable[[], None]]:
    """Copies the stream's entries to `target` as JSON lines.

    Each call of what it gives adds those that have come since the one before, up to the newest of
    that moment.
    """
    after = "-"
    with _client(url) as valkey, target.open("wb") as file:

        def read() -> None:
            nonlocal after
            newest = valkey.xrevrange(_STREAM, count=1)
            last = newest[0][0].decode() if newest else "0"
            while entries := valkey.xrange(_STREAM, min=after, max=last, count=_PAGE):
                for _, fields in entries:
                    plain = {key.decode(): value.decode() for key, value in fields.items()}
                    file.write(msgspec.json.encode(plain) + b"\n")
                after = f"({entries[-1][0].decode()}"

        yield read


def restore_stream(url: str, source: Path | None) -> int:
    """Puts the entries in place of those there are, and forgets the counters."""
    with _client(url) as valkey:
        valkey.delete(_STREAM)
        for pattern in _COUNTERS:
            for key in valkey.scan_iter(pattern, count=_PAGE):
                valkey.delete(key)
        if source is None:
            return 0
        count = 0
        with source.open("rb") as lines:
            for line in lines:
                valkey.xadd(_STREAM, msgspec.json.decode(line, type=dict[str, str]))
                count += 1
        return count


@contextmanager
def _client(url: str) -> Generator[Any]:
    try:
        with _redis.from_url(url, socket_timeout=10) as valkey:
            yield valkey
    except redis.RedisError as error:
        raise BackupError(f"Valkey does not answer: {error}") from error
