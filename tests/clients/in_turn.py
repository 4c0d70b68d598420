"""Many requests, a few of them at a time."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Final, TypeVar

T = TypeVar("T")
AT_ONCE: Final = 20


async def in_turn(requests: Iterable[Awaitable[T]]) -> list[T]:
    """Await all, at most `AT_ONCE` together, and return the results in order.

    Hundreds that wait for a connection of one client instead cost more than they do: at each
    response the client looks through all that wait.
    """
    slots = asyncio.Semaphore(AT_ONCE)

    async def send(request: Awaitable[T]) -> T:
        async with slots:
            return await request

    return await asyncio.gather(*map(send, requests))
