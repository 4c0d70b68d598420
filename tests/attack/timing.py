"""Measure the difference between the response times of two kinds of requests, at the server.

Samples are taken in turns, so that what else the machine does falls on all of them alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

Times = Mapping[str, list[float]]
_SAMPLES: Final = 100


def shift(later: Sequence[float], earlier: Sequence[float]) -> float:
    """By how many seconds one distribution lies behind another.

    Of the faster quarter of each, which is what the work itself takes: what a busy machine adds, it
    adds to some answers only. Within it by Hodges and Lehmann, so that no outlier moves it.
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
    """Times of each kind of work, in turns."""
    times: Times = {name: [] for name in work}
    for _ in range(_SAMPLES):
        for name, doing in work.items():
            times[name].append(await doing())
    return times


class Stopwatch:
    """An ASGI application that measures another, with a delay planted in some requests."""

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
