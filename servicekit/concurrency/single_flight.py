"""Deduplicate concurrent calls of the same key: the first runs, the others wait for its result."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SingleFlight(Generic[K, V]):
    """Shares the call under way for each key, its error included."""

    def __init__(self) -> None:
        self._flights: dict[K, asyncio.Task[V]] = {}

    async def do(self, key: K, call: Callable[[], Awaitable[V]]) -> V:
        """Return the answer of `call`, or of the call under way for `key`.

        A caller that is cancelled leaves the call to the others that wait for it.
        """
        return await asyncio.shield(self.begin(key, call))

    def begin(self, key: K, call: Callable[[], Awaitable[V]]) -> asyncio.Task[V]:
        """Return the call under way for `key`, begun if there is none; it goes on though nobody waits."""
        flight = self._flights.get(key)
        if flight is None:
            flight = asyncio.ensure_future(self._run(key, call))
            self._flights[key] = flight
            flight.add_done_callback(_mark_as_seen)
        return flight

    async def aclose(self) -> None:
        """Cancel the calls under way and wait for their ends."""
        flights = tuple(self._flights.values())
        for flight in flights:
            flight.cancel()
        await asyncio.gather(*flights, return_exceptions=True)

    async def _run(self, key: K, call: Callable[[], Awaitable[V]]) -> V:
        try:
            return await call()
        finally:
            del self._flights[key]


def _mark_as_seen(flight: asyncio.Task[V]) -> None:
    # Without this, asyncio reports an error that every waiting caller was cancelled before seeing.
    if not flight.cancelled():
        flight.exception()
