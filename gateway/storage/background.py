"""Loops that run beside the requests."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def in_background(loop: Coroutine[Any, Any, None]) -> AsyncGenerator[asyncio.Task[None]]:
    """Run `loop`, which never ends by itself, until the block ends."""
    task = asyncio.create_task(loop)
    try:
        yield task
    finally:
        # redis-py now and then swallows a cancellation, so one may not be enough.
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=0.1)
