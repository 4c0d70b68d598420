"""When a Valkey that failed is counted by again: after a write that succeeded, and later each time that it fails soon."""

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final

from gateway.quota.counters import GenerationSnapshot
from gateway.quota.models import UsageEntry
from gateway.quota.ports import GenerationStore
from servicekit.errors import Unavailable

_FIRST_SECONDS: Final = 1.0
_LONGEST_SECONDS: Final = 30.0
_SOON_SECONDS: Final = 60.0


class Steadiness:
    """Whether Valkey is counted by: no longer once it failed, and again after it has worked for a while.

    After a first failure one success is enough. Each further failure within a minute of the return doubles the time
    for which it has to work before the next one: 1 s, 2 s, 4 s, up to 30 s.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._is_trusted = True
        self._trusted_since: float | None = None
        self._works_since: float | None = None
        self._wait = 0.0

    def failed(self) -> None:
        """Record that Valkey did not answer, or refused to write."""
        self._works_since = None
        if not self._is_trusted:
            return
        self._is_trusted = False
        since = self._trusted_since
        is_soon = since is not None and self._clock() - since < _SOON_SECONDS
        self._wait = min(max(2 * self._wait, _FIRST_SECONDS), _LONGEST_SECONDS) if is_soon else 0.0

    def worked(self) -> float:
        """Record a write that succeeded; return the seconds until Valkey is counted by again, 0 for now."""
        if self._is_trusted:
            return 0.0
        now = self._clock()
        if self._works_since is None:
            self._works_since = now
        rest = self._works_since + self._wait - now
        if rest > 0:
            return rest
        self._is_trusted, self._trusted_since = True, now
        return 0.0


class SteadyGenerations:
    """A `GenerationStore` that cannot be read while Valkey is not steady."""

    def __init__(self, generations: GenerationStore, steadiness: Steadiness) -> None:
        self._generations = generations
        self._steadiness = steadiness

    async def read(self) -> GenerationSnapshot:
        try:
            seen = await self._generations.read()
        except Unavailable:
            self._steadiness.failed()
            raise
        rest = self._steadiness.worked()
        if rest > 0:
            raise Unavailable(
                f"Valkey failed again soon after its return; it has to work for {rest:.0f} s more."
            )
        return seen

    async def close(self, next_generation: str) -> None:
        await self._generations.close(next_generation)

    def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        return self._generations.waiting()

    async def open(self, generation: str) -> None:
        await self._generations.open(generation)
