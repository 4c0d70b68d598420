"""Prefetch the next item of a stream while the one before it is processed."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from typing import TypeVar

T = TypeVar("T")


async def prefetch(source: AsyncIterable[T]) -> AsyncGenerator[T]:
    """Yield the items of `source`, of which one at most waits; an error of it comes in its place."""
    items = aiter(source)
    coming = asyncio.ensure_future(_next(items))
    try:
        while not isinstance(item := await coming, _End):
            coming = asyncio.ensure_future(_next(items))
            yield item
    finally:
        coming.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await coming


async def collect_cooperatively(items: Iterable[T], at_once: int = 20) -> list[T]:
    """All items, with a turn for everyone else after so many.

    What is made ahead in one go keeps the loop from what it is ahead of.
    """
    made: list[T] = []
    for item in items:
        made.append(item)
        if not len(made) % at_once:
            await asyncio.sleep(0)
    return made


class _End:
    """No item follows."""


async def _next(items: AsyncIterator[T]) -> T | _End:
    try:
        return await anext(items)
    except StopAsyncIteration:
        return _End()
