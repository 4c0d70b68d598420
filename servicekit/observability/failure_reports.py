"""Failed calls of all gateways by hour, in Valkey, for the operator's page."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from redis.asyncio import Redis

EVERY_SECONDS: Final = 10.0
HOURS: Final = 24
_PREFIX: Final = "sponsorgraph:failures:"
_STORED_SECONDS: Final = (HOURS + 1) * 3_600
_SEPARATOR: Final = "|"

Failures = Mapping[tuple[str, str], int]
"""Numbers of failed calls, by tool and code."""


@dataclass(slots=True)
class FailureReporter:
    """Add what has failed in this process since the last report to the counts of all."""

    valkey: Redis
    failures: Callable[[], Failures]
    _reported: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    async def report(self) -> None:
        now = self.failures()
        new = {key: number - self._reported.get(key, 0) for key, number in now.items()}
        new = {key: number for key, number in new.items() if number > 0}
        if not new:
            return
        client: Any = self.valkey
        name = _name(time.time())
        pipeline = client.pipeline()
        for (tool, code), number in new.items():
            pipeline.hincrby(name, f"{tool}{_SEPARATOR}{code}", number)
        pipeline.expire(name, _STORED_SECONDS)
        await pipeline.execute()
        self._reported = dict(now)


async def recent_failures(valkey: Redis) -> Sequence[tuple[str, str, int]]:
    """Return tool, code and number of the failed calls of the last day, the most frequent first."""
    client: Any = valkey
    pipeline = client.pipeline(transaction=False)
    for hour in range(HOURS):
        pipeline.hgetall(_name(time.time() - hour * 3_600))
    sums: dict[tuple[str, str], int] = {}
    for hour in await pipeline.execute():
        for name, number in hour.items():
            tool, _, code = name.decode().partition(_SEPARATOR)
            sums[tool, code] = sums.get((tool, code), 0) + int(number)
    found = [(tool, code, number) for (tool, code), number in sums.items()]
    return sorted(found, key=lambda failure: (-failure[2], failure[:2]))


def _name(at: float) -> str:
    return f"{_PREFIX}{int(at // 3_600)}"
