"""Measure the difference between the response times of two kinds of requests, at the server.

Samples are taken in turns, so that other load affects all of them alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

Times = Mapping[str, list[float]]
_SAMPLES: Final = 100


def shift(later: Sequence[float], earlier: Sequence[float]) -> float:
    """Return the shift in seconds between two distributions.

    It is the Hodges-Lehmann estimate, robust against outliers, of the faster quarter of each, since
    other load delays only some responses.
    """
    return statistics.median(item - other for item in _quick(later) for other in _quick(earlier))


def _quick(times: Sequence[float]) -> Sequence[float]:
    return sorted(times)[: len(times) // 4]


def is_distinguishable(
    suspect: Sequence[float], base: Sequence[float], planted: Sequence[float]
) -> bool:
    """Return whether the suspect's times differ from the base by at least half the planted delay."""
    return abs(shift(suspect, base)) >= shift(planted, base) / 2


async def sampled(work: Mapping[str, Callable[[], Awaitable[float]]]) -> Times:
    """Measure the times of each kind of work, in turns."""
    times: Times = {name: [] for name in work}
    for _ in range(_SAMPLES):
        for name, doing in work.items():
            times[name].append(await doing())
    return times


class Stopwatch:
    """An ASGI application that times another one, with a delay planted in some requests."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app
        self.took = 0.0
        self.seconds_planted = 0.0

    async def __call__(self, scope: object, receive: object, send: object) -> None:
        started = time.perf_counter()
        if self.seconds_planted:
            # As work of that length would: it holds the loop.
            while time.perf_counter() - started < self.seconds_planted:
                pass
        await self._app(scope, receive, send)
        self.took = time.perf_counter() - started
