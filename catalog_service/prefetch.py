"""Prefetch the next item of a stream while the one before it is processed."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from typing import TypeVar

T = TypeVar("T")


async def prefetch(source: AsyncIterable[T]) -> AsyncGenerator[T]:
    """Yield the items of `source`, and fetch one item ahead; its error is raised in the place of the item."""
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
    """Return the items as a list; yield to the event loop after every `at_once` items, so that other requests go on."""
    collected: list[T] = []
    for item in items:
        collected.append(item)
        if not len(collected) % at_once:
            await asyncio.sleep(0)
    return collected


class _End:
    """No item follows."""


async def _next(items: AsyncIterator[T]) -> T | _End:
    try:
        return await anext(items)
    except StopAsyncIteration:
        return _End()
